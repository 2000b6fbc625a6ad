import { isTerminal, type StateType, terminalTypes } from '@millrace/contracts/state.ts'
import { readEventsOfResources } from '../../events/find-events.ts'
import type { Recorder } from '../../events/ingest.ts'
import type { EventRecord } from '../../lib/event-record.ts'
import { generateRunName } from '../../lib/run-name.ts'
import type { RunState } from '../../orchestration/rule.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'
import { toStateColumns, toStateRow } from '../run-state.ts'
import { isTaskRunEvent, parseTaskRunEvent, type TaskRunEvent } from './parse-task-event.ts'
import { isReconciled } from './reconcile.ts'
import { readTaskRunsByKey, type TaskRunRow, taskRunKey } from './store.ts'

/**
 * Clients set the states of task runs themselves and send them as events. This recorder turns the events into task runs with a state history. Events may
 * arrive twice, late and out of order; the result is the same as for ordered events. A stored state changes nothing, the newest state determines
 * the run, and if an older state arrives late, the run is rebuilt from all its events in the log.
 */
export const taskRunRecorder = perServer(
  (context): Recorder =>
    async (tx, events) => {
      const taskEvents = events.filter(isTaskRunEvent).flatMap((event) => parseTaskRunEvent(event) ?? [])
      if (taskEvents.length === 0) return
      const newEvents = await dropRecordedEvents(tx, taskEvents)
      if (newEvents.length === 0) return
      const { rows, storedId } = await readStoredRuns(tx, newEvents)
      const changed = new Map<string, TaskRunRow>()
      const created = new Map<string, TaskRunRow>()
      for (const [id, eventsOfRun] of groupByRun(newEvents, storedId)) {
        const stored = rows.get(id)
        const row = await resolveRow(context, id, stored, eventsOfRun, events)
        if (!row) continue
        if (stored) changed.set(id, row)
        else created.set(id, row)
      }
      await tx.insert('task_run', [...created.values()])
      await tx.update(
        'task_run',
        [...changed.values()].map(({ created: _, ...columns }) => columns),
      )
      await tx.insert(
        'task_run_state',
        newEvents.map(({ state, id }) => ({ ...toStateRow(assignRun(state, storedId(id))), data: state.data, task_run_id: storedId(id) })),
        { onConflict: 'on conflict (id) do nothing' },
      )
    },
)

/** Sets the task run id in the details of a state. */
const assignRun = (state: RunState, task_run_id: string): RunState =>
  state.state_details.task_run_id === task_run_id ? state : { ...state, state_details: { ...state.state_details, task_run_id } }

const existingStates = statement((dialect) => `select id from task_run_state where ${dialect.inList('id', '$1', 'uuid')}`)
const existingFlowRuns = statement((dialect) => `select id from flow_run where ${dialect.inList('id', '$1', 'uuid')}`)

/** Drops duplicates, events of stored states, and events of deleted flow runs. */
async function dropRecordedEvents(tx: Tx, taskEvents: readonly TaskRunEvent[]): Promise<TaskRunEvent[]> {
  const byState = new Map<string, TaskRunEvent>()
  for (const event of taskEvents) if (!byState.has(event.state.id)) byState.set(event.state.id, event)
  for (const { id } of await tx.all<{ id: string }>(existingStates, [tx.dialect.list([...byState.keys()])])) byState.delete(id)
  const flowRunIds = [...new Set([...byState.values()].flatMap(({ flow_run_id }) => flow_run_id ?? []))]
  if (flowRunIds.length === 0) return [...byState.values()]
  const existing = new Set((await tx.all<{ id: string }>(existingFlowRuns, [tx.dialect.list(flowRunIds)])).map(({ id }) => id))
  return [...byState.values()].filter(({ flow_run_id }) => flow_run_id === null || existing.has(flow_run_id))
}

const byIds = statement((dialect) => `select * from task_run where ${dialect.inList('id', '$1', 'uuid')} order by id ${dialect.forUpdate}`)

interface StoredRuns {
  readonly rows: ReadonlyMap<string, TaskRunRow>
  /** The id of the stored run. Within a flow run the keys identify a task run, and the first id stays. */
  readonly storedId: (id: string) => string
}

async function readStoredRuns(tx: Tx, taskEvents: readonly TaskRunEvent[]): Promise<StoredRuns> {
  const lock = async (ids: readonly string[]) => (ids.length > 0 ? tx.all<TaskRunRow>(byIds, [tx.dialect.list(ids)]) : [])
  const rows = new Map((await lock([...new Set(taskEvents.map(({ id }) => id))])).map((row) => [row.id, row]))
  const unknown = taskEvents.filter(({ id, flow_run_id }) => flow_run_id !== null && !rows.has(id))
  const found = await readTaskRunsByKey(tx, unknown)
  const idsByKey = new Map<string, string>()
  for (const row of await lock(found.map(({ id }) => id))) {
    idsByKey.set(taskRunKey(row), row.id)
    rows.set(row.id, row)
  }
  const ids = new Map<string, string>()
  for (const event of unknown) {
    if (rows.has(event.id)) continue
    const key = taskRunKey(event)
    const id = idsByKey.get(key) ?? event.id
    idsByKey.set(key, id)
    ids.set(event.id, id)
  }
  return { rows, storedId: (id) => ids.get(id) ?? id }
}

function groupByRun(taskEvents: readonly TaskRunEvent[], storedId: (id: string) => string): Map<string, TaskRunEvent[]> {
  const groups = new Map<string, TaskRunEvent[]>()
  for (const event of taskEvents) groups.set(storedId(event.id), [...(groups.get(storedId(event.id)) ?? []), event])
  return groups
}

/** The new row of a run. Undefined if the events do not change it. */
async function resolveRow(
  context: ServerContext,
  id: string,
  stored: TaskRunRow | undefined,
  taskEvents: readonly TaskRunEvent[],
  events: readonly EventRecord[],
): Promise<TaskRunRow | undefined> {
  const now = context.clock.now()
  const newRow = (first: TaskRunEvent): TaskRunRow => ({ ...emptyRow(first), id, created: now, name: generateRunName(context.random) })
  const inOrder = [...taskEvents].sort(byTime)
  const [first] = inOrder as [TaskRunEvent]
  if (!stored) return { ...inOrder.reduce(applyEvent, newRow(first)), updated: now }
  const reconciled = isReconciled(stored)
  if (!reconciled && comesAfter(first.state, stored)) return { ...inOrder.reduce(applyEvent, stored), updated: now }
  const allEvents = [...(await readAllTaskEvents(context.reads, taskEvents, events))].sort(byTime)
  const newest = allEvents.at(-1) as TaskRunEvent
  // Keep the row if the server wrote a newer state, or if the client has not sent a terminal state after an inferred one. Late events are history only.
  if (
    reconciled
      ? !comesAfter(newest.state, stored) && !isTerminal(newest.state.type)
      : !comesAfter(newest.state, stored) && newest.state.id !== stored.state_id
  )
    return undefined
  return { ...allEvents.reduce(applyEvent, stored), updated: now }
}

/** Stores the data as sent, including unpersisted results that `set_state` would drop. */
const applyEvent = (row: TaskRunRow, { state, columns }: TaskRunEvent): TaskRunRow => ({
  ...row,
  ...columns,
  ...toStateColumns(assignRun(state, row.id)),
  state_data: state.data,
})

const emptyRow = ({ flow_run_id, task_key, dynamic_key }: TaskRunEvent): Omit<TaskRunRow, 'id' | 'created' | 'name'> => ({
  updated: 0,
  flow_run_id,
  task_key,
  dynamic_key,
  cache_key: null,
  cache_expiration: null,
  task_version: null,
  flow_run_run_count: 0,
  empirical_policy: '{"max_retries":0,"retry_delay_seconds":0,"retries":null,"retry_delay":null,"retry_jitter_factor":null}',
  tags: '[]',
  labels: 'null',
  task_inputs: '{}',
  recent_transitions: null,
  run_count: 0,
  expected_start_time: null,
  next_scheduled_start_time: null,
  start_time: null,
  end_time: null,
  total_run_time: 0,
  ...toStateColumns(null),
})

/** Orders states with equal timestamps by progress, so that the result does not depend on the order of arrival. */
const stateRank = (type: string | null): number => {
  const order: readonly (StateType | null)[] = ['SCHEDULED', 'PENDING', 'RUNNING', 'PAUSED', 'CANCELLING']
  return terminalTypes.includes(type as StateType) ? order.length : order.indexOf(type as StateType)
}

const compareStamps = (a: StateStamp, b: StateStamp): number =>
  a.at - b.at || stateRank(a.type) - stateRank(b.type) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

interface StateStamp {
  readonly at: number
  readonly type: string | null
  readonly id: string
}

const toStateStamp = ({ timestamp, type, id }: RunState): StateStamp => ({ at: timestamp, type, id })

const byTime = (a: TaskRunEvent, b: TaskRunEvent): number => compareStamps(toStateStamp(a.state), toStateStamp(b.state))

const comesAfter = (state: RunState, row: TaskRunRow): boolean =>
  row.state_id === null || compareStamps(toStateStamp(state), { at: row.state_timestamp as number, type: row.state_type, id: row.state_id }) > 0

/** All events of a run: those in the log and those of this batch. */
async function readAllTaskEvents(reads: Db, taskEvents: readonly TaskRunEvent[], events: readonly EventRecord[]): Promise<Iterable<TaskRunEvent>> {
  const resources = [...new Set(taskEvents.map(({ id }) => `prefect.task-run.${id}`))]
  const rows = await readEventsOfResources(reads, resources)
  const earlier = rows.map((row) => ({ ...row, resource: JSON.parse(row.resource), related: JSON.parse(row.related) }))
  const current = events.filter(({ resource }) => resources.includes(resource['prefect.resource.id'] as string))
  const found = new Map<string, TaskRunEvent>()
  for (const event of [...earlier, ...current].filter(isTaskRunEvent)) {
    const taskEvent = parseTaskRunEvent(event)
    if (taskEvent && !found.has(taskEvent.state.id)) found.set(taskEvent.state.id, taskEvent)
  }
  return found.values()
}
