import { isTerminal, type StateType, terminalTypes } from '@millrace/contracts/state.ts'
import type { Recorder } from '../../events/ingest.ts'
import type { EventRecord } from '../../lib/event-record.ts'
import { generateRunName } from '../../lib/run-name.ts'
import type { RunState } from '../../orchestration/rule.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'
import { toStateColumns, toStateRow } from '../run-state.ts'
import { isTaskRunEvent, parseTaskRunEvent, type TaskRunEvent } from './parse-task-event.ts'
import { isReconciled } from './reconcile.ts'
import type { TaskRunRow } from './store.ts'

/**
 * Clients decide on the states of task runs themselves and tell them as events; here those become task runs with their history. Events come
 * twice, late and out of order, and the outcome is always that of the ordered ones: a state that is known already changes nothing, a run is
 * as its newest state tells, and when an older one comes late, all that the log has of the run is put together anew.
 */
export const taskRunRecorder = perServer(
  (context): Recorder =>
    async (tx, events) => {
      const taskEvent = events.filter(isTaskRunEvent).flatMap((event) => parseTaskRunEvent(event) ?? [])
      if (taskEvent.length === 0) return
      const fresh = await dropRecordedEvents(tx, taskEvent)
      if (fresh.length === 0) return
      const { rows, idOf } = await readKnownRuns(tx, fresh)
      const changed = new Map<string, TaskRunRow>()
      const made = new Map<string, TaskRunRow>()
      for (const [id, tellings] of groupByRun(fresh, idOf)) {
        const known = rows.get(id)
        const row = await resolveRow(context, tx, id, known, tellings, events)
        if (!row) continue
        if (known) changed.set(id, row)
        else made.set(id, row)
      }
      await tx.insert('task_run', [...made.values()])
      await tx.update(
        'task_run',
        [...changed.values()].map(({ created: _, ...columns }) => columns),
      )
      await tx.insert(
        'task_run_state',
        fresh.map(({ state, id }) => ({ ...toStateRow(assignRun(state, idOf(id))), data: state.data, task_run_id: idOf(id) })),
        { onConflict: 'on conflict (id) do nothing' },
      )
    },
)

/** The state as one of the run that it was recorded for. */
const assignRun = (state: RunState, task_run_id: string): RunState =>
  state.state_details.task_run_id === task_run_id ? state : { ...state, state_details: { ...state.state_details, task_run_id } }

const knownStates = statement((dialect) => `select id from task_run_state where ${dialect.inList('id', '$1', 'uuid')}`)
const knownFlowRuns = statement((dialect) => `select id from flow_run where ${dialect.inList('id', '$1', 'uuid')}`)

/** Each telling once, without those that were recorded before and those of flow runs that are gone. */
async function dropRecordedEvents(tx: Tx, taskEvent: readonly TaskRunEvent[]): Promise<TaskRunEvent[]> {
  const byState = new Map<string, TaskRunEvent>()
  for (const one of taskEvent) if (!byState.has(one.state.id)) byState.set(one.state.id, one)
  for (const { id } of await tx.all<{ id: string }>(knownStates, [tx.dialect.list([...byState.keys()])])) byState.delete(id)
  const flowRunIds = [...new Set([...byState.values()].flatMap(({ flow_run_id }) => flow_run_id ?? []))]
  if (flowRunIds.length === 0) return [...byState.values()]
  const there = new Set((await tx.all<{ id: string }>(knownFlowRuns, [tx.dialect.list(flowRunIds)])).map(({ id }) => id))
  return [...byState.values()].filter(({ flow_run_id }) => flow_run_id === null || there.has(flow_run_id))
}

const byIds = statement((dialect) => `select * from task_run where ${dialect.inList('id', '$1', 'uuid')} order by id ${dialect.forUpdate}`)
const byKeys = statement(
  (dialect) => `select * from task_run where ${dialect.inList('flow_run_id', '$1', 'uuid')} and ${dialect.inList('task_key', '$2', 'text')}
    and ${dialect.inList('dynamic_key', '$3', 'text')} order by id ${dialect.forUpdate}`,
)

interface KnownRuns {
  readonly rows: ReadonlyMap<string, TaskRunRow>
  /** The id under which the run of a telling is kept: a run within a flow run is also known by its keys, and then the first one stays. */
  readonly idOf: (id: string) => string
}

async function readKnownRuns(tx: Tx, taskEvent: readonly TaskRunEvent[]): Promise<KnownRuns> {
  const list = (values: Iterable<string>) => tx.dialect.list([...new Set(values)])
  const rows = new Map((await tx.all<TaskRunRow>(byIds, [list(taskEvent.map(({ id }) => id))])).map((row) => [row.id, row]))
  const unknown = taskEvent.filter(({ id, flow_run_id }) => flow_run_id !== null && !rows.has(id))
  const keyed = new Map<string, string>()
  if (unknown.length > 0) {
    const keys = [
      list(unknown.map(({ flow_run_id }) => flow_run_id as string)),
      list(unknown.map(({ task_key }) => task_key)),
      list(unknown.map(({ dynamic_key }) => dynamic_key)),
    ]
    for (const row of await tx.all<TaskRunRow>(byKeys, keys)) {
      keyed.set(keyOf(row), row.id)
      rows.set(row.id, row)
    }
  }
  const ids = new Map<string, string>()
  for (const one of unknown) {
    if (rows.has(one.id)) continue
    const key = keyOf(one)
    const id = keyed.get(key) ?? one.id
    keyed.set(key, id)
    ids.set(one.id, id)
  }
  return { rows, idOf: (id) => ids.get(id) ?? id }
}

const keyOf = ({ flow_run_id, task_key, dynamic_key }: Pick<TaskRunRow, 'flow_run_id' | 'task_key' | 'dynamic_key'>): string =>
  JSON.stringify([flow_run_id, task_key, dynamic_key])

function groupByRun(taskEvent: readonly TaskRunEvent[], idOf: (id: string) => string): Map<string, TaskRunEvent[]> {
  const groups = new Map<string, TaskRunEvent[]>()
  for (const one of taskEvent) groups.set(idOf(one.id), [...(groups.get(idOf(one.id)) ?? []), one])
  return groups
}

/** What becomes of a run; undefined when nothing does. */
async function resolveRow(
  context: ServerContext,
  tx: Tx,
  id: string,
  known: TaskRunRow | undefined,
  taskEvents: readonly TaskRunEvent[],
  events: readonly EventRecord[],
): Promise<TaskRunRow | undefined> {
  const now = context.clock.now()
  const unborn = (first: TaskRunEvent): TaskRunRow => ({ ...emptyRow(first), id, created: now, name: generateRunName(context.random) })
  const inOrder = [...taskEvents].sort(byTime)
  const [first] = inOrder as [TaskRunEvent]
  if (!known) return { ...inOrder.reduce(applyEvent, unborn(first)), updated: now }
  const reconciled = isReconciled(known)
  if (!reconciled && comesAfter(first.state, known)) return { ...inOrder.reduce(applyEvent, known), updated: now }
  const everything = [...(await readAllTaskEvents(tx, taskEvents, events))].sort(byTime)
  const newest = everything.at(-1) as TaskRunEvent
  // The server alone has said something newer, or the client still has not said how the run ended: then that stands, and what came late is history.
  if (
    reconciled
      ? !comesAfter(newest.state, known) && !isTerminal(newest.state.type)
      : !comesAfter(newest.state, known) && newest.state.id !== known.state_id
  )
    return undefined
  return { ...everything.reduce(applyEvent, known), updated: now }
}

/** Data are kept as they were told, also those that a state which is set would not keep: the client that tells of them has decided. */
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

/** Of states of one instant the one further along comes later, so that their order does not hang on which was sent first. */
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

const loggedEvents = statement(
  (dialect) => `select event.id, event.occurred, event.event, event.resource, event.related, event.payload
    from event_resource join event on event.position = event_resource.event_position and event.occurred = event_resource.occurred
    where ${dialect.inList('event_resource.resource_id', '$1', 'text')} and event_resource.role = ''`,
)

interface LoggedEvent {
  readonly id: string
  readonly occurred: number
  readonly event: string
  readonly resource: string
  readonly related: string
  readonly payload: string
}

/** Everything that was ever told of a run: what the log has of it, and what comes just now. */
async function readAllTaskEvents(db: Db, taskEvents: readonly TaskRunEvent[], events: readonly EventRecord[]): Promise<Iterable<TaskRunEvent>> {
  const resources = [...new Set(taskEvents.map(({ id }) => `prefect.task-run.${id}`))]
  const rows = await db.all<LoggedEvent>(loggedEvents, [db.dialect.list(resources)])
  const earlier = rows.map((row) => ({ ...row, resource: JSON.parse(row.resource), related: JSON.parse(row.related) }))
  const now = events.filter(({ resource }) => resources.includes(resource['prefect.resource.id'] as string))
  const found = new Map<string, TaskRunEvent>()
  for (const event of [...earlier, ...now].filter(isTaskRunEvent)) {
    const taskEvent = parseTaskRunEvent(event)
    if (taskEvent && !found.has(taskEvent.state.id)) found.set(taskEvent.state.id, taskEvent)
  }
  return found.values()
}
