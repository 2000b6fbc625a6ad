import { flowCount, flowName } from '../fixtures.ts'
import { countInState, rareName } from '../seed.ts'
import { type BenchContext, check, checkSampled, dayMs, isoTime, type Workload } from '../workload.ts'

interface RunAnswer {
  readonly id: string
  readonly name: string
  readonly flow_id: string
  readonly deployment_id: string | null
  readonly state_type: string
  readonly tags: readonly string[]
  readonly start_time: string | null
  readonly expected_start_time: string
}

const pageSize = 200
/** No more runs than the smallest seeded database has with both tags, in a state or with the part of a name, so that pages of all databases have the same size. */
const tagPageSize = 15
const rarePageSize = 100

interface FilterQuery {
  readonly body: () => { readonly sort: string } & Readonly<Record<string, unknown>>
  /** A text of every right answer. */
  readonly mark: string
  isRight(run: RunAnswer): boolean
  readonly countMin?: number
}

/** Pages, counts and the history of flow runs. */
export function readWorkloads(context: BenchContext): Workload[] {
  const { fixtures } = context
  const { deploymentIds, flowIds, prefix } = fixtures
  const [deploymentId, flowId] = [deploymentIds[3] as string, flowIds[3] as string]
  const rare = rareName(context.seeded, prefix)
  const byStart = (flow_runs?: object) => () => ({ sort: 'START_TIME_DESC', ...(flow_runs && { flow_runs }) })
  const filters: Readonly<Record<string, FilterQuery>> = {
    latest: { body: byStart(), mark: '"flow_id"', isRight: ({ id }) => Boolean(id), countMin: Math.min(pageSize, context.seeded) },
    expected: {
      body: () => ({ sort: 'EXPECTED_START_TIME_DESC' }),
      mark: '"flow_id"',
      isRight: ({ id }) => Boolean(id),
      countMin: Math.min(pageSize, context.seeded),
    },
    state: {
      body: () => ({ ...byStart({ state: { type: { any_: ['FAILED', 'CRASHED'] } } })(), limit: rarePageSize }),
      mark: 'FAILED',
      isRight: ({ state_type }) => ['FAILED', 'CRASHED'].includes(state_type),
    },
    deployment: {
      body: byStart({ deployment_id: { any_: [deploymentId] } }),
      mark: deploymentId,
      isRight: ({ deployment_id }) => deployment_id === deploymentId,
    },
    tags: {
      body: () => ({ ...byStart({ tags: { all_: ['team-7', 'prod'] } })(), limit: tagPageSize }),
      mark: 'team-7',
      isRight: ({ tags }) => tags.includes('team-7') && tags.includes('prod'),
    },
    name: {
      body: () => ({ ...byStart({ name: { like_: 'otter' } })(), limit: rarePageSize }),
      mark: 'otter',
      isRight: ({ name }) => name.includes('otter'),
    },
    name_rare: { body: byStart({ name: { like_: rare } }), mark: rare, isRight: ({ name }) => name.includes(rare) },
    name_absent: { body: byStart({ name: { like_: `nobody-${context.stamp}` } }), mark: '[]', isRight: () => false, countMin: 0 },
    flow: {
      body: () => ({ sort: 'EXPECTED_START_TIME_DESC', flows: { name: { any_: [flowName(prefix, 3)] } } }),
      mark: flowId,
      isRight: ({ flow_id }) => flow_id === flowId,
    },
    last_day: {
      body: () => byStart({ expected_start_time: { after_: isoTime(Date.now() - dayMs), before_: isoTime(Date.now()) } })(),
      mark: '"flow_id"',
      isRight: ({ expected_start_time }) => Date.parse(expected_start_time) > Date.now() - dayMs - 120_000,
    },
  }
  return [
    ...Object.entries(filters).map(([name, query]) => filterWorkload(name, query)),
    ...pageWorkloads(context),
    historyWorkload('day_30min', 1, 1800, Math.floor(context.seeded * 0.1)),
    historyWorkload('week_1h', 7, 3600, Math.floor(context.seeded * 0.85)),
  ]
}

function filterWorkload(name: string, { body, mark, isRight, countMin = 1 }: FilterQuery): Workload {
  return {
    name: `filter.${name}`,
    unit: 'pages',
    isRead: true,
    async operation(user) {
      const query = body()
      await checkSampled(user, 'POST', '/flow_runs/filter', { limit: pageSize, offset: 0, ...query }, mark, (runs: RunAnswer[]) => {
        check(runs.length >= countMin && runs.length <= pageSize, `${runs.length} runs`)
        check(runs.every(isRight), 'a run that does not match the filter')
        check(isDescending(runs, query.sort), `not in the order of ${query.sort}`)
      })
    },
  }
}

function isDescending(runs: readonly RunAnswer[], sort: string): boolean {
  const times = runs.map((run) => Date.parse((sort === 'START_TIME_DESC' ? run.start_time : null) ?? run.expected_start_time))
  return times.every((time, index) => index === 0 || time <= (times[index - 1] as number))
}

interface PageAnswer {
  readonly results: readonly unknown[]
  readonly page: number
  readonly count: number
}

function pageWorkloads({ seeded }: BenchContext): Workload[] {
  const failed = countInState(seeded, 'FAILED')
  const ask = <T>(name: string, path: string, body: object, verify: (answer: T) => void): Workload => ({
    name: `paginate_count.${name}`,
    unit: 'queries',
    isRead: true,
    operation: (user) => checkSampled(user, 'POST', path, body, '"count"', verify),
  })
  const pageOf = (name: string, path: string, sort: string, limit: number, page: number) =>
    ask(name, path, { sort, limit, page }, (answer: PageAnswer) => {
      check(answer.results.length === limit && answer.page === page && answer.count >= limit * page, `page ${answer.page} of ${answer.count}`)
    })
  const deepPage = Math.max(1, Math.min(30, Math.floor(seeded / 25)))
  return [
    pageOf('flow_runs_first', '/flow_runs/paginate', 'START_TIME_DESC', 25, 1),
    pageOf('flow_runs_deep', '/flow_runs/paginate', 'START_TIME_DESC', 25, deepPage),
    ask('count_all', '/flow_runs/count', {}, (count: number) => check(count >= seeded, `a count of ${count}`)),
    ask('count_state', '/flow_runs/count', { flow_runs: { state: { type: { any_: ['FAILED'] } } } }, (count: number) =>
      check(count >= failed, `a count of ${count}`),
    ),
    pageOf('deployments', '/deployments/paginate', 'NAME_ASC', 25, 1),
    pageOf('flows', '/flows/paginate', 'NAME_ASC', flowCount, 1),
  ]
}

interface Bucket {
  readonly states: readonly { readonly count_runs: number }[]
}

function historyWorkload(name: string, days: number, bucketSeconds: number, countMin: number): Workload {
  const buckets = (days * 24 * 3600) / bucketSeconds
  return {
    name: `history.${name}`,
    unit: 'queries',
    isRead: true,
    async operation({ http }) {
      const end = Date.now()
      const range = { history_start: isoTime(end - days * dayMs), history_end: isoTime(end), history_interval_seconds: bucketSeconds }
      const answer: Bucket[] = await http.post('/flow_runs/history', range)
      check(answer.length === buckets, `${answer.length} buckets instead of ${buckets}`)
      const runs = answer.flatMap(({ states }) => states).reduce((sum, { count_runs }) => sum + count_runs, 0)
      check(runs >= countMin, `a history of ${runs} runs`)
    },
  }
}
