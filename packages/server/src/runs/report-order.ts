import { type StateType, terminalTypes } from '@millrace/contracts/state.ts'
import type { RunState } from '../orchestration/rule.ts'
import type { CurrentStateColumns } from './run-state.ts'
import type { TaskRunEvent } from './task-run-events.ts'
import { type TaskRunRow, taskRunKey } from './task-run-rows.ts'

/** Marks a state that the server inferred. A later state of the client overrides it. */
export const reconciledMark = '"reconciled":true'

export const isReconciled = ({ state_details }: Pick<CurrentStateColumns, 'state_details'>): boolean =>
  state_details?.includes(reconciledMark) ?? false

/** Orders states with equal timestamps by progress, so that the result does not depend on the order of arrival. */
const stateRank = (type: string | null): number => {
  const order: readonly (StateType | null)[] = ['SCHEDULED', 'PENDING', 'RUNNING', 'PAUSED', 'CANCELLING']
  return terminalTypes.includes(type as StateType) ? order.length : order.indexOf(type as StateType)
}

interface StateStamp {
  readonly at: number
  readonly type: string | null
  readonly id: string
}

const compareStamps = (a: StateStamp, b: StateStamp): number =>
  a.at - b.at || stateRank(a.type) - stateRank(b.type) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const stampOf = ({ timestamp, type, id }: RunState): StateStamp => ({ at: timestamp, type, id })

export const inOrderOfTime = (taskEvents: Iterable<TaskRunEvent>): TaskRunEvent[] =>
  [...taskEvents].sort((a, b) => compareStamps(stampOf(a.state), stampOf(b.state)))

export const comesAfter = (state: RunState, row: Pick<TaskRunRow, 'state_id' | 'state_type' | 'state_timestamp'>): boolean =>
  row.state_id === null || compareStamps(stampOf(state), { at: row.state_timestamp as number, type: row.state_type, id: row.state_id }) > 0

/** The stored run that an event is about. Within a flow run the keys identify a task run, and the first id stays. */
export const storedIdOf = (event: TaskRunEvent, idsByKey: ReadonlyMap<string, string>, rows: { has(id: string): boolean }): string =>
  rows.has(event.id) || event.flow_run_id === null ? event.id : (idsByKey.get(taskRunKey(event)) ?? event.id)

export interface KnownReports {
  readonly taskRuns: ReadonlyMap<string, TaskRunRow>
  readonly idsByKey: ReadonlyMap<string, string>
  readonly storedStates: ReadonlySet<string>
}

/** The ids of task runs whose events are earlier than what is stored of them: they are rebuilt from all their events. */
export function findLateReports(taskEvents: readonly TaskRunEvent[], { taskRuns, idsByKey, storedStates }: KnownReports): string[] {
  const late = new Set<string>()
  for (const event of taskEvents) {
    const stored = storedStates.has(event.state.id) ? undefined : taskRuns.get(storedIdOf(event, idsByKey, taskRuns))
    if (stored && (isReconciled(stored) || !comesAfter(event.state, stored))) late.add(event.id)
  }
  return [...late]
}
