import { serviceActor } from '../../server/src/lib/actor.ts'
import { createIdGenerator } from '../../server/src/lib/ids.ts'
import { addSeconds, type Micros } from '../../server/src/lib/time.ts'
import { statement, type Tx } from '../../server/src/storage/database.ts'
import { actAs } from '../../server/src/storage/server-context.ts'
import type { Row } from '../../server/src/storage/tables.ts'
import type { SeededServer } from './seeded-server.ts'

/** One week of runs. `seedManyRuns` writes rows directly into the tables. */
const week = 7 * 86_400
const flowCount = 20
const deploymentCount = 200
const poolCount = 5
const regions = ['eu', 'us', 'asia']
const batchSize = 2000
/** One run in this many has three tasks and all states; the others have only their current state. */
const taskRunInterval = 10

interface RunTemplate {
  readonly flow: string
  readonly deployment: string
  readonly queue: string
  readonly tags: string
}

const empty = '{}'
const policy = '{"max_retries":0,"retry_delay_seconds":0.0,"retries":0,"retry_delay":0,"pause_keys":[],"resuming":false,"retry_type":null}'

/** Runs of one week: most have ended, some are running, late or upcoming. */
export async function seedManyRuns(seeded: SeededServer, count: number, said: (text: string) => void = () => {}): Promise<void> {
  const present = seeded.clock.now()
  const templates = await seedRunTemplates(seeded)
  const { commands } = actAs(seeded.app.context, serviceActor('test'))
  const indexes = count > indexesLaterFrom ? await commands.submit(dropIndexes) : []
  for (let from = 0; from < count; from += batchSize) {
    const rows = Array.from({ length: Math.min(batchSize, count - from) }, (_, index) => buildRun(seeded, templates, present, from + index, count))
    await commands.submit(async (tx) => {
      await tx.insert('flow_run', rows)
      await tx.insert(
        'flow_run_state',
        rows.flatMap((row, index) => buildStates(row, index % taskRunInterval === 0)),
      )
      const tasks = rows.flatMap((row, index) => (index % taskRunInterval === 0 && row.end_time !== null ? buildTaskRuns(row, seeded) : []))
      if (tasks.length > 0) await tx.insert('task_run', tasks)
    })
    if (from % 100_000 === 0) said(`${from.toLocaleString('en')} of ${count.toLocaleString('en')} runs`)
  }
  for (const definition of indexes) await commands.submit((tx) => tx.run(statement(definition)))
  if (indexes.length > 0) await commands.submit((tx) => tx.run(statement('analyze')))
}

/** Above this number, rebuilding indexes at the end is faster than updating them. */
const indexesLaterFrom = 50_000
const filledTables = "('flow_run', 'flow_run_state', 'flow_run_tag', 'task_run')"

/** Drops the non-unique indexes of the filled tables and returns the statements that create them. */
async function dropIndexes(tx: Tx): Promise<string[]> {
  const listed =
    tx.dialect.name === 'sqlite'
      ? `select name, sql as definition from sqlite_master where type = 'index' and tbl_name in ${filledTables}`
      : `select indexname as name, indexdef as definition from pg_indexes where tablename in ${filledTables}`
  const found = await tx.all<{ name: string; definition: string | null }>(statement(listed))
  const droppable = found.flatMap(({ name, definition }) => (definition && !/unique/i.test(definition) ? [{ name, definition }] : []))
  for (const { name } of droppable) await tx.run(statement(`drop index ${name}`))
  return droppable.map(({ definition }) => definition)
}

async function seedRunTemplates({ call }: SeededServer): Promise<RunTemplate[]> {
  const queues: string[] = []
  for (let index = 0; index < poolCount; index += 1) {
    const { default_queue_id } = await call('POST', '/work_pools/', { name: `pool-${index}`, type: 'process', concurrency_limit: 100 })
    queues.push(default_queue_id)
  }
  const flows: string[] = []
  for (let index = 0; index < flowCount; index += 1) flows.push((await call('POST', '/flows/', { name: `flow-${index}`, tags: ['many'] })).id)
  const templates: RunTemplate[] = []
  for (let index = 0; index < deploymentCount; index += 1) {
    const flow = flows[index % flowCount] as string
    const tags = [index % 2 === 0 ? 'prod' : 'test', `team-${index % 7}`]
    const pool = index % poolCount
    const { id } = await call('POST', '/deployments/', { name: `deployment-${index}`, flow_id: flow, work_pool_name: `pool-${pool}`, tags })
    templates.push({ flow, deployment: id, queue: queues[pool] as string, tags: JSON.stringify(tags) })
  }
  return templates
}

type RunRow = Row<'flow_run'>

/** The last runs are upcoming, the ones before are running, waiting or late, and all others have ended. */
function buildRun(seeded: SeededServer, templates: readonly RunTemplate[], present: Micros, index: number, count: number): RunRow {
  const { random } = seeded
  const ahead = Math.max(10, Math.floor(count / 500))
  const behind = count - index - ahead
  const due = behind > 0 ? addSeconds(present, -(behind / count) * week - 60) : addSeconds(present, 60 - behind * 5)
  const [type, name] = pickState(behind, random.next())
  const started = type === 'SCHEDULED' || type === 'PENDING' ? null : addSeconds(due, random.next() * 20)
  const length = 2 + random.next() ** 3 * 600
  const ended = started !== null && type !== 'RUNNING' && type !== 'PAUSED' ? Math.min(addSeconds(started, length), present) : null
  const place = templates[Math.floor(random.next() ** 2 * templates.length)] as RunTemplate
  const made = addSeconds(due, -30)
  const id = idAt(made, seeded)
  const at = ended ?? started ?? made
  return {
    id,
    created: made,
    updated: at,
    flow_id: place.flow,
    name: `${nameWords[Math.floor(random.next() * nameWords.length)]}-${nameWords[Math.floor(random.next() * nameWords.length)]}-${index}`,
    deployment_id: place.deployment,
    deployment_version: null,
    work_queue_id: place.queue,
    work_queue_name: 'default',
    flow_version: null,
    parameters: JSON.stringify({
      region: regions[index % regions.length],
      batch: index % 1000,
      options: { full: index % 50 === 0, tables: ['orders'] },
    }),
    idempotency_key: null,
    context: empty,
    empirical_policy: policy,
    tags: place.tags,
    labels: empty,
    parent_task_run_id: null,
    infrastructure_document_id: null,
    infrastructure_pid: null,
    created_by: null,
    auto_scheduled: true,
    job_variables: empty,
    run_count: started === null ? 0 : 1,
    expected_start_time: due,
    next_scheduled_start_time: type === 'SCHEDULED' ? due : null,
    start_time: started,
    end_time: ended,
    total_run_time: ended !== null && started !== null ? ended - started : 0,
    state_id: idAt(at, seeded),
    state_type: type,
    state_name: name,
    state_timestamp: at,
    state_message: type === 'FAILED' ? "Flow run encountered an exception: KeyError: 'customer_id'" : null,
    state_data: null,
    state_details: empty,
  } as RunRow
}

const nameWords = ['copper', 'heron', 'quiet', 'otter', 'brave', 'finch', 'amber', 'wolf', 'calm', 'lynx', 'swift', 'crane']

function pickState(behind: number, roll: number): [string, string] {
  if (behind <= 0) return ['SCHEDULED', 'Scheduled']
  if (behind < 60)
    return roll < 0.5 ? ['RUNNING', 'Running'] : roll < 0.9 ? ['SCHEDULED', 'Late'] : roll < 0.95 ? ['PENDING', 'Pending'] : ['PAUSED', 'Paused']
  if (roll < 0.9) return ['COMPLETED', 'Completed']
  if (roll < 0.96) return ['FAILED', 'Failed']
  return roll < 0.98 ? ['CRASHED', 'Crashed'] : ['CANCELLED', 'Cancelled']
}

function buildStates(run: RunRow, all: boolean): Row<'flow_run_state'>[] {
  const state = (id: string, type: string, name: string, timestamp: Micros) =>
    ({ id, flow_run_id: run.id, type, name, timestamp, message: null, data: null, state_details: empty }) as Row<'flow_run_state'>
  const last = state(run.state_id as string, run.state_type as string, run.state_name as string, run.state_timestamp as number)
  if (!all || run.end_time === null) return [last]
  return [
    state(crypto.randomUUID(), 'SCHEDULED', 'Scheduled', run.created),
    state(crypto.randomUUID(), 'RUNNING', 'Running', run.start_time as number),
    last,
  ]
}

function buildTaskRuns(run: RunRow, seeded: SeededServer): Row<'task_run'>[] {
  const begun = run.start_time as number
  const third = Math.floor(((run.end_time as number) - begun) / 3)
  return ['extract', 'clean', 'load'].map((key, place) => {
    const started = begun + place * third
    const ended = started + third
    return {
      id: idAt(started, seeded),
      created: started,
      updated: ended,
      flow_run_id: run.id,
      name: `${key}-0`,
      task_key: key,
      dynamic_key: '0',
      cache_key: null,
      cache_expiration: null,
      task_version: null,
      flow_run_run_count: 1,
      empirical_policy: policy,
      tags: '[]',
      labels: empty,
      task_inputs: empty,
      run_count: 1,
      expected_start_time: started,
      next_scheduled_start_time: null,
      start_time: started,
      end_time: ended,
      total_run_time: third,
      state_id: idAt(ended, seeded),
      state_type: 'COMPLETED',
      state_name: 'Completed',
      state_timestamp: ended,
      state_message: null,
      state_data: null,
      state_details: empty,
    } as Row<'task_run'>
  })
}

/** IDs start with the time, like the server's, so that rows created together are stored together. */
const idAt = (time: Micros, { random }: SeededServer): string => createIdGenerator({ now: () => time } as never, random)()
