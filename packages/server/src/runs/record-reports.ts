import { isTerminal } from '@millrace/contracts/state.ts'
import { generateRunName } from '../lib/run-name.ts'
import type { RunState } from '../orchestration/rule.ts'
import { HeldRow } from '../storage/database.ts'
import type { ReportEvents } from './command.ts'
import type { Deciding } from './deciding.ts'
import { heartbeatRow } from './heartbeats.ts'
import { comesAfter, inOrderOfTime, isReconciled, storedIdOf } from './report-order.ts'
import { noRunTimes, toStateColumns, toStateRow } from './run-state.ts'
import type { TaskRunEvent } from './task-run-events.ts'
import { type TaskRunRow, taskRunKey } from './task-run-rows.ts'

/**
 * Records what clients report: they set the states of task runs themselves and send them as events. Events may arrive twice, late and out of order; the result
 * is the same as for ordered events. A stored state changes nothing, the newest state determines the run, and if an older state arrives late, the run is
 * rebuilt from all its events. Returns the answer to each request.
 */
export function recordReports(deciding: Deciding, reports: readonly ReportEvents[]): Map<ReportEvents, Error | null> {
  const answers = new Map<ReportEvents, Error | null>()
  const recorded: ReportEvents[] = []
  for (const report of reports) {
    const held = heldTaskRun(deciding, report)
    answers.set(report, held === undefined ? null : new HeldRow(held))
    if (held === undefined) recorded.push(report)
  }
  recordTaskEvents(
    deciding,
    recorded.flatMap(({ taskEvents }) => taskEvents),
  )
  for (const report of recorded) {
    const { known, checkedUntil } = deciding.loaded.storedEvents.get(report) ?? { known: new Set(), checkedUntil: 0 }
    for (const event of report.sent.events) if (!known.has(event.id)) deciding.changes.events.push({ ...event, checkedUntil })
  }
  return answers
}

/** A task run of the report that somebody else holds. */
export const heldTaskRun = (deciding: Deciding, { taskEvents }: ReportEvents): string | undefined =>
  taskEvents.find((event) => deciding.isHeld(storedIdOf(event, deciding.reportedIds, deciding.taskRuns)))?.id

function recordTaskEvents(deciding: Deciding, taskEvents: readonly TaskRunEvent[]): void {
  const { changes, recordedEvents } = deciding
  recordedEvents.push(...taskEvents)
  for (const [id, ofRun] of groupByRun(deciding, dropRecorded(deciding, taskEvents))) {
    const loaded = deciding.taskRuns.get(id)
    const stored: TaskRunRow | undefined = loaded ?? changes.taskRuns.created.get(id)
    for (const { state } of ofRun) changes.taskRunStates.push({ ...toStateRow(assignRun(state, id)), data: state.data, task_run_id: id })
    if (!stored) changes.taskRuns.create(newRun(deciding, id, ofRun))
    else {
      const changing = eventsToApply(deciding, stored, ofRun)
      if (!changing) continue
      const columns: Partial<TaskRunRow> = Object.assign({}, ...changing.map((event) => eventColumns(event, id)))
      changes.taskRuns.change(stored, columns)
      if (loaded) deciding.taskRuns.set(id, { ...loaded, ...columns })
    }
  }
}

/** Drops duplicates, events of stored states, and events of deleted flow runs. */
function dropRecorded({ loaded, recordedStates }: Deciding, taskEvents: readonly TaskRunEvent[]): TaskRunEvent[] {
  const byState = new Map<string, TaskRunEvent>()
  for (const event of taskEvents) if (!byState.has(event.state.id) && !recordedStates.has(event.state.id)) byState.set(event.state.id, event)
  for (const id of byState.keys()) recordedStates.add(id)
  return [...byState.values()].filter(({ flow_run_id }) => flow_run_id === null || loaded.owners.has(flow_run_id))
}

/** By the id of the stored run. Of events of one new run the first id stays. */
function groupByRun({ reportedIds, taskRuns }: Deciding, taskEvents: readonly TaskRunEvent[]): Map<string, TaskRunEvent[]> {
  const groups = new Map<string, TaskRunEvent[]>()
  for (const event of taskEvents) {
    const id = storedIdOf(event, reportedIds, taskRuns)
    if (event.flow_run_id !== null) reportedIds.set(taskRunKey(event), id)
    const group = groups.get(id)
    if (group) group.push(event)
    else groups.set(id, [event])
  }
  return groups
}

/** The events that determine a stored run from now on, in order. Undefined if they do not change it. */
function eventsToApply({ loaded, recordedEvents }: Deciding, stored: TaskRunRow, ofRun: readonly TaskRunEvent[]) {
  const inOrder = inOrderOfTime(ofRun)
  const [first] = inOrder as [TaskRunEvent]
  const reconciled = isReconciled(stored)
  if (!reconciled && comesAfter(first.state, stored)) return inOrder
  const ids = new Set(ofRun.map(({ id }) => id))
  const all = new Map<string, TaskRunEvent>()
  for (const id of ids) for (const event of loaded.history.get(id) ?? []) if (!all.has(event.state.id)) all.set(event.state.id, event)
  for (const event of recordedEvents) if (ids.has(event.id) && !all.has(event.state.id)) all.set(event.state.id, event)
  const allInOrder = inOrderOfTime(all.values())
  const newest = allInOrder.at(-1) as TaskRunEvent
  // Keep the row if the server wrote a newer state, or if the client has not sent a terminal state after an inferred one. Late events are history only.
  if (comesAfter(newest.state, stored)) return allInOrder
  if (reconciled) return isTerminal(newest.state.type) ? allInOrder : undefined
  return newest.state.id === stored.state_id ? allInOrder : undefined
}

function newRun({ context }: Deciding, id: string, ofRun: readonly TaskRunEvent[]): TaskRunRow {
  const now = context.clock.now()
  const inOrder = inOrderOfTime(ofRun)
  const empty: TaskRunRow = { ...emptyRow(inOrder[0] as TaskRunEvent), id, created: now, updated: now, name: generateRunName(context.random) }
  return Object.assign(empty, ...inOrder.map((event) => eventColumns(event, id)))
}

/** Stores the data as sent, including unpersisted results that `set_state` would drop. */
const eventColumns = ({ state, columns }: TaskRunEvent, id: string): Partial<TaskRunRow> => ({
  ...columns,
  ...toStateColumns(assignRun(state, id)),
  state_data: state.data,
})

/** Sets the task run id in the details of a state. */
const assignRun = (state: RunState, task_run_id: string): RunState =>
  state.state_details.task_run_id === task_run_id ? state : { ...state, state_details: { ...state.state_details, task_run_id } }

const emptyRow = ({ flow_run_id, task_key, dynamic_key }: TaskRunEvent): Omit<TaskRunRow, 'id' | 'created' | 'updated' | 'name'> => ({
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
  ...noRunTimes,
  ...toStateColumns(null),
})

/** Once for a batch: the heartbeats of all reports were loaded together. */
export function recordHeartbeats({ loaded, changes, context }: Deciding): void {
  const received = context.clock.now()
  for (const run of loaded.heartbeats) changes.heartbeats.push(heartbeatRow(run, loaded.heartbeatTimes.get(run.id) ?? [], received))
}
