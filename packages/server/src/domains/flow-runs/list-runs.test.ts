import type { FlowRunSort } from '@millrace/contracts/flow-run.ts'
import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'
import { toMicros } from '../../lib/time.ts'
import type { RelatedFilters } from '../relations.ts'
import { countFlowRuns } from './count-runs.ts'
import { listFlowRuns } from './list-runs.ts'

const sorts: FlowRunSort[] = [
  'START_TIME_ASC',
  'START_TIME_DESC',
  'EXPECTED_START_TIME_ASC',
  'EXPECTED_START_TIME_DESC',
  'NAME_ASC',
  'END_TIME_DESC',
  'ID_DESC',
]
const types = ['COMPLETED', 'FAILED', 'RUNNING', 'CRASHED'] as const
const runs = 60

interface SeededRun {
  readonly id: string
  readonly name: string
  readonly flow: string
  readonly deployment: string
  readonly tags: readonly string[]
  readonly type: string
  readonly due: string
}

eachDialect('access paths', (setup) => {
  async function seed(app: TestApp): Promise<SeededRun[]> {
    const seeded: SeededRun[] = []
    const targets: { flow: string; deployment: string }[] = []
    for (const name of ['left', 'right']) {
      await app.call('POST', '/work_pools/', { name, type: 'process' })
      const flow = (await app.call('POST', '/flows/', { name })).body.id
      for (const which of ['a', 'b']) {
        const { id } = (await app.call('POST', '/deployments/', { name: `${name}-${which}`, flow_id: flow, work_pool_name: name })).body
        targets.push({ flow, deployment: id })
      }
    }
    for (let index = 0; index < runs; index += 1) {
      const target = targets[index % targets.length] as (typeof targets)[number]
      const type = types[Math.floor(index / 3) % types.length] as string
      // Different from the order of creation, with several runs per time.
      const due = `2029-12-${String(1 + ((index * 7) % 20)).padStart(2, '0')}T00:00:00Z`
      const tags = ['red', 'blue', 'green'].filter((_, bit) => (index >> bit) & 1)
      const body = { name: `run-${(index * 11) % runs}`, tags, state: { type: 'SCHEDULED', state_details: { scheduled_time: due } } }
      const { id } = (await app.call('POST', `/deployments/${target.deployment}/create_flow_run`, body)).body
      app.clock.advance(60)
      await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'RUNNING' }, force: true })
      await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type }, force: true })
      seeded.push({ id, name: body.name, ...target, tags, type, due })
    }
    return seeded
  }

  const expected_start_time = { after_: '2029-12-03T00:00:00Z', before_: '2029-12-15T00:00:00Z' }
  const isDue = ({ due }: SeededRun) => due >= '2029-12-03T00:00:00Z' && due <= '2029-12-15T00:00:00Z'
  const failed: FlowRunFilter['state'] = { type: { any_: ['FAILED', 'CRASHED'] } }
  const isBad = ({ type }: SeededRun) => type === 'FAILED' || type === 'CRASHED'
  const cases: [string, (made: SeededRun[]) => RelatedFilters, (run: SeededRun, made: SeededRun[]) => boolean][] = [
    ['time', () => ({ flow_runs: { expected_start_time } }), isDue],
    ['state', () => ({ flow_runs: { state: failed } }), isBad],
    ['tag and state', () => ({ flow_runs: { tags: { all_: ['red'] }, state: failed } }), (run) => isBad(run) && run.tags.includes('red')],
    [
      'tags, one of others, and time',
      () => ({ flow_runs: { tags: { all_: ['red', 'blue'], any_: ['green', 'none'] }, expected_start_time } }),
      (run) => isDue(run) && run.tags.length === 3,
    ],
    ['an unused tag', () => ({ flow_runs: { tags: { all_: ['nobody'] }, state: failed } }), () => false],
    [
      'deployment, state and time',
      (seeded) => ({
        flow_runs: {
          deployment_id: { any_: [seeded[0]?.deployment as string, seeded[1]?.deployment as string] },
          state: failed,
          expected_start_time,
        },
      }),
      (run, seeded) => isBad(run) && isDue(run) && [seeded[0]?.deployment, seeded[1]?.deployment].includes(run.deployment),
    ],
    [
      'flow and part of a name',
      () => ({ flows: { name: { any_: ['left'] } }, flow_runs: { name: { like_: 'N-1' } } }),
      (run, seeded) => run.flow === seeded[0]?.flow && run.name.includes('n-1'),
    ],
    [
      'pool, tag and state',
      () => ({ work_pools: { name: { any_: ['right'] } }, flow_runs: { tags: { all_: ['blue'] }, state: { name: { not_any_: ['Completed'] } } } }),
      (run, seeded) => run.flow !== seeded[0]?.flow && run.tags.includes('blue') && run.type !== 'COMPLETED',
    ],
    [
      'either of two, in a flow',
      () => ({ flows: { name: { any_: ['left'] } }, flow_runs: { operator: 'or_', tags: { all_: ['red'] }, state: failed } }),
      (run, seeded) => run.flow === seeded[0]?.flow && (isBad(run) || run.tags.includes('red')),
    ],
  ]

  test('return the same runs in the requested order for few and many runs', { timeout: 60_000 }, async () => {
    const app = await setup()
    const seeded = await seed(app)
    const db = app.context.reads
    for (const [name, filterOf, isMatch] of cases) {
      const filter = filterOf(seeded)
      const matching = new Set(seeded.filter((run) => isMatch(run, seeded)).map(({ id }) => id))
      expect([name, await countFlowRuns(db, filter)]).toEqual([name, matching.size])
      for (const sort of sorts) {
        const allIds = (await listFlowRuns(db, {}, { sort, limit: 200, offset: 0 })).map(({ id }) => id)
        const expected = allIds.filter((id) => matching.has(id))
        for (const smallResultMax of [0, 1000]) {
          const listed = await listFlowRuns(db, filter, { sort, limit: 200, offset: 0, smallResultMax })
          expect([name, sort, smallResultMax, listed.map(({ id }) => id)]).toEqual([name, sort, smallResultMax, expected])
          const page = await listFlowRuns(db, filter, { sort, limit: 3, offset: 2, smallResultMax })
          expect([name, sort, smallResultMax, page.map(({ id }) => id)]).toEqual([name, sort, smallResultMax, expected.slice(2, 5)])
        }
      }
    }
  })

  test('follow a changed expected start in the tag index', async () => {
    const app = await setup()
    const flow = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const at = (day: number) => ({ type: 'SCHEDULED', state_details: { scheduled_time: `2030-02-0${day}T00:00:00Z` } })
    for (const day of [2, 4, 6]) await app.call('POST', '/flow_runs/', { flow_id: flow, name: `${day}`, tags: ['red'], state: at(day) })
    const filters = { flow_runs: { tags: { all_: ['red'] } }, sort: 'EXPECTED_START_TIME_ASC' }
    const listed = async () => (await app.call('POST', '/flow_runs/filter', filters)).body as { id: string; name: string }[]
    const [first] = await listed()
    const later = toMicros('2030-02-05T00:00:00Z')
    await app.context.commands.submit((tx) => tx.update('flow_run', [{ id: first?.id as string, expected_start_time: later }]))
    expect((await listed()).map(({ name }) => name)).toEqual(['4', '2', '6'])
    const before = { ...filters.flow_runs, expected_start_time: { before_: '2030-02-04T12:00:00Z' } }
    expect((await app.call('POST', '/flow_runs/count', { flow_runs: before })).body).toBe(1)
  })
})

eachDialect('a search by parameters', (setup, dialect) => {
  const runs: Record<string, string> = {
    plain: '{"region": "eu", "size": 1, "dry": true, "note": null}',
    text: '{"region": "1", "size": "1", "dry": "true"}',
    real: '{"region": "us", "size": 1.0, "dry": 1}',
    deep: '{"options": {"full": false, "tables": ["a", "b"]}, "list": {"0": "x"}}',
    longer: '{"options": {"full": false, "tables": ["a", "b", "c"]}, "list": ["x"]}',
    large: '{"size": 12345678901234567890, "a\\"b": {"": 1}, "$.x": 2}',
    nul: '{"odd": "\\u0000"}',
  }

  async function seed(app: TestApp): Promise<string> {
    const { id } = (await app.call('POST', '/flows/', { name: 'f' })).body
    for (const [name, parameters] of Object.entries(runs)) {
      const text = `{"flow_id": "${id}", "name": "${name}", "parameters": ${parameters}}`
      await app.server.inject({ method: 'POST', url: '/api/flow_runs/', headers: { 'content-type': 'application/json' }, payload: text })
    }
    return id
  }

  /** The filter as text, so that its numbers stay unchanged. */
  const find = async (app: TestApp, parameters: string, more = ''): Promise<{ names: string[]; count: number }> => {
    const request = (path: string, rest: string) =>
      app.server.inject({
        method: 'POST',
        url: `/api/flow_runs/${path}`,
        headers: { 'content-type': 'application/json' },
        payload: `{"flow_runs": {"parameters": {"matches_": ${parameters}}${more}}${rest}}`,
      })
    const listed = (await request('filter', ', "sort": "NAME_ASC"')).json() as { name: string }[]
    return { names: listed.map(({ name }) => name), count: (await request('count', '')).json() }
  }

  test('finds runs that have all values with the same JSON types', async () => {
    const app = await setup()
    await seed(app)
    const cases: [string, string[]][] = [
      ['{"size": 1}', ['plain', 'real']],
      ['{"size": "1"}', ['text']],
      ['{"dry": true}', ['plain']],
      ['{"dry": 1}', ['real']],
      ['{"note": null}', ['plain']],
      ['{"region": "us", "size": 1}', ['real']],
      ['{"region": "nowhere"}', []],
      ['{"options": {"full": false}}', ['deep', 'longer']],
      ['{"options": {"tables": ["a", "b"]}}', ['deep']],
      ['{"options": {}}', ['deep', 'longer']],
      ['{"list": {"0": "x"}}', ['deep']],
      ['{"list": ["x"]}', ['longer']],
      ['{"a\\"b": {"": 1}}', ['large']],
      ['{"$.x": 2}', ['large']],
      ['{"odd": "\\u0000"}', dialect === 'sqlite' ? ['nul'] : []],
    ]
    for (const [parameters, names] of cases) expect([parameters, await find(app, parameters)]).toEqual([parameters, { names, count: names.length }])
  })

  test('combines with other filters by their operator', async () => {
    const app = await setup()
    await seed(app)
    expect((await find(app, '{"size": 1}', ', "name": {"any_": ["real", "deep"]}')).names).toEqual(['real'])
    expect((await find(app, '{"size": 1}', ', "name": {"any_": ["real", "deep"]}, "operator": "or_"')).names).toEqual(['deep', 'plain', 'real'])
  })

  test('limits the number of values', async () => {
    const app = await setup()
    const matches_ = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`p${index}`, index]))
    const { status, body } = await app.call('POST', '/flow_runs/filter', { flow_runs: { parameters: { matches_ } } })
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'flow_runs', 'parameters', 'matches_']])
  })

  test.each(['{"a": {"\\u0000": 1}}', '{"a\\ud800": 1}', '{"a": ["\\ud800"]}'])('rejects parameters that cannot be compared: %s', async (matches) => {
    const app = await setup()
    const payload = `{"flow_runs": {"parameters": {"matches_": ${matches}}}}`
    for (const path of ['filter', 'count', 'bulk_delete']) {
      const response = await app.server.inject({
        method: 'POST',
        url: `/api/flow_runs/${path}`,
        headers: { 'content-type': 'application/json' },
        payload,
      })
      expect([response.statusCode, response.json().detail[0].loc]).toEqual([422, ['body', 'flow_runs', 'parameters', 'matches_']])
    }
  })
})
