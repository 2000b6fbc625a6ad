import type { RunRecord } from '@millrace/contracts/run-report.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom } from '../src/lib/random.ts'
import { aFlowRun, Reporter, report } from './run-reports.ts'
import { eachDialect, type TestApp } from './setup.ts'
import { newId } from './task-run-events.ts'

interface Told {
  readonly flowRun: string
  readonly records: readonly RunRecord[]
}

/** What a process tells about a run with tasks, retries and logs, in order. The same seed tells the same with other ids. */
function tell(flowRun: string, seed: number): Told {
  const random = seededRandom(seed)
  const chance = (share: number) => random.next() < share
  const run = new Reporter(flowRun)
  const records: RunRecord[] = []
  let seconds = 0
  const attempts = chance(0.3) ? 2 : 1
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    records.push(run.state('RUNNING'))
    for (let task = Math.floor(random.next() * 4); task > 0; task -= 1) {
      const taskRun = { id: newId(), task_key: `task ${task}`, dynamic_key: `${attempt}`, name: `name ${task}`, tags: chance(0.5) ? ['b', 'a'] : [] }
      records.push(run.created({ ...taskRun, task_inputs: {}, labels: { n: task } }, ++seconds))
      for (let tries = chance(0.3) ? 2 : 1; tries > 0; tries -= 1) {
        records.push(run.taskState({ ...taskRun, run_count: tries, start_time: null }, 'RUNNING', ++seconds))
        if (chance(0.5)) records.push(run.log(`line ${seconds}`, { task_run_id: chance(0.5) ? taskRun.id : null }))
        if (tries > 1) records.push(run.taskState(taskRun, 'SCHEDULED', ++seconds))
      }
      // A state may be sent late.
      const late = chance(0.2) ? [run.taskState(taskRun, 'PENDING', seconds - 0.5)] : []
      records.push(run.taskState({ ...taskRun, total_run_time: seconds }, chance(0.8) ? 'COMPLETED' : 'FAILED', ++seconds), ...late)
    }
    if (chance(0.5)) records.push(run.log(`end of attempt ${attempt}`))
    records.push(run.finished(attempt < attempts || chance(0.3) ? 'FAILED' : 'COMPLETED'))
  }
  return { flowRun, records }
}

/** Tells the records by one operation each, as clients do that do not know reports. */
async function tellOneByOne(app: TestApp, { records }: Told): Promise<void> {
  for (const record of records) {
    if (record.kind === 'state' || record.kind === 'finished') {
      const state = { ...record.state, state_details: { transition_id: record.id } }
      expect((await app.call('POST', `/flow_runs/${record.flow_run_id}/set_state`, { state })).status).toBe(201)
    } else if (record.kind === 'log') {
      const { name, level, message, timestamp, flow_run_id, task_run_id = null } = record
      expect((await app.call('POST', '/logs/', [{ name, level, message, timestamp, flow_run_id, task_run_id }])).status).toBe(201)
    } else expect((await app.call('POST', '/events', [toEvent(record)])).status).toBe(204)
  }
}

function toEvent(record: Extract<RunRecord, { kind: 'created' | 'task_state' }>) {
  const { type, timestamp } = record.kind === 'created' ? { type: 'PENDING', timestamp: record.timestamp } : record.state
  const name = type[0] + type.slice(1).toLowerCase()
  return {
    id: record.id,
    occurred: timestamp,
    event: `prefect.task-run.${name}`,
    resource: { 'prefect.resource.id': `prefect.task-run.${record.task_run.id}`, 'prefect.resource.name': '', 'prefect.orchestration': 'client' },
    related: [{ 'prefect.resource.id': `prefect.flow-run.${record.flow_run_id}`, 'prefect.resource.role': 'flow-run' }],
    payload: { validated_state: { type, name, timestamp, message: '', state_details: {}, data: null }, task_run: record.task_run },
  }
}

/** Tells the records in requests of random length. Some are sent twice. The attempt of a request is that of the last answer. */
async function tellInReports(app: TestApp, { records }: Told, seed: number): Promise<void> {
  const random = seededRandom(seed)
  let attempt = 0
  for (let rest = [...records]; rest.length > 0; ) {
    const length = shortened(rest, 1 + Math.floor(random.next() * rest.length))
    const sent = rest.splice(0, length).map((record, number) => ({ ...record, attempt, number }))
    const answers = await report(app, sent)
    expect(answers.filter(({ status }) => status === 'refused')).toEqual([])
    if (random.next() < 0.3) expect((await report(app, sent)).map(({ status }) => status)).toEqual(answers.map(({ status }) => status))
    attempt = answers.at(-1)?.attempt ?? attempt
  }
}

/** At most four proposals are in a request. */
function shortened(records: readonly RunRecord[], length: number): number {
  const proposals = [...records.keys()].filter((index) => ['state', 'finished'].includes((records[index] as RunRecord).kind))
  return Math.min(length, proposals[4] ?? records.length)
}

/** All that the server knows of the run, without ids and the times of the server. */
async function outcome(app: TestApp, { flowRun, records }: Told): Promise<unknown> {
  const ids = [flowRun, ...records.flatMap((record) => ('task_run' in record ? [record.task_run.id] : []))]
  const reads = app.context.reads.kysely
  const flowRuns = await reads.selectFrom('flow_run').selectAll().where('id', '=', flowRun).execute()
  const flowStates = await reads.selectFrom('flow_run_state').selectAll().where('flow_run_id', '=', flowRun).orderBy('timestamp').execute()
  const taskRuns = await reads
    .selectFrom('task_run')
    .selectAll()
    .where('flow_run_id', '=', flowRun)
    .orderBy('task_key')
    .orderBy('dynamic_key')
    .execute()
  const taskIds = taskRuns.map(({ id }) => id)
  const taskStates =
    taskIds.length === 0
      ? []
      : await reads.selectFrom('task_run_state').selectAll().where('task_run_id', 'in', taskIds).orderBy('timestamp').execute()
  const logs = await reads.selectFrom('log').selectAll().where('flow_run_id', '=', flowRun).orderBy('timestamp').execute()
  const events = await reads.selectFrom('event').selectAll().orderBy('position').execute()
  const stable = ids.reduce(
    (text, id, index) => text.replaceAll(id, `run ${index}`),
    JSON.stringify({
      flowRuns: flowRuns.map(({ attempt, run_count, state_type, state_name, empirical_policy }) => [
        attempt,
        run_count,
        state_type,
        state_name,
        empirical_policy,
      ]),
      flowStates: flowStates.map(({ type, name, message, data }) => [type, name, message, data]),
      taskRuns: taskRuns.map(({ created: _, updated: _u, state_id: _s, flow_run_id: _f, ...run }) => run),
      taskStates: taskStates.map(({ id: _, ...state }) => state),
      logs: logs.map(({ id: _, created: _c, ...line }) => line),
      events: events
        .filter(({ resource_id, related }) => `${resource_id} ${related}`.includes(flowRun))
        .map(({ event, resource_id }) => [event, resource_id]),
    }),
  )
  return JSON.parse(stable)
}

const counts = async (app: TestApp, flowRun: string) => {
  const flow_runs = { id: { any_: [flowRun] } }
  const types = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'SCHEDULED']
  return Promise.all(
    types.flatMap((type) =>
      ['/flow_runs/count', '/task_runs/count'].map(async (path) => {
        const state = { state: { type: { any_: [type] } } }
        const filter = path.startsWith('/flow') ? { flow_runs: { ...flow_runs, ...state } } : { flow_runs, task_runs: state }
        return (await app.call('POST', path, filter)).body
      }),
    ),
  )
}

eachDialect('a run that is reported in requests of many records', (setup, dialect) => {
  test('ends as the same run told operation by operation', { timeout: 120_000 }, async () => {
    const app = await setup()
    await fc.assert(
      fc.asyncProperty(fc.nat(1_000_000), async (seed) => {
        const policy = { empirical_policy: { retries: 1 } }
        const [one, other] = [tell(await aFlowRun(app, policy), seed), tell(await aFlowRun(app, policy), seed)]
        await tellOneByOne(app, one)
        await tellInReports(app, other, seed)
        expect(await outcome(app, other)).toEqual(await outcome(app, one))
        expect(await counts(app, other.flowRun)).toEqual(await counts(app, one.flowRun))
      }),
      { numRuns: dialect === 'sqlite' ? 40 : 12, seed: 7 },
    )
  })

  test('ends alike when many runs share a request', { timeout: 120_000 }, async () => {
    const app = await setup()
    const seeds = [11, 12, 13, 14, 15, 16]
    const told = await Promise.all(seeds.map(async (seed) => [tell(await aFlowRun(app), seed), tell(await aFlowRun(app), seed)] as const))
    for (const [one] of told) await tellOneByOne(app, one)
    const mixed = interleave(told.map(([, other]) => other.records)).map((record, index) => ({ ...record, number: index }))
    expect((await report(app, mixed)).filter(({ status }) => status === 'refused')).toEqual([])
    for (const [one, other] of told) expect(await outcome(app, other)).toEqual(await outcome(app, one))
  })
})

/** One record of each list in turn. */
function interleave(lists: readonly (readonly RunRecord[])[]): RunRecord[] {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat()
}
