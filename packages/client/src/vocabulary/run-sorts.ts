import type { FlowRunSort } from '@millrace/contracts/flow-run.ts'
import type { TaskRunSort } from '@millrace/contracts/task-run.ts'

/** Orders of a list of flow runs. The keys are those of commands and addresses. */
export const flowRunSorts = {
  newest: { label: 'Newest first', sort: 'EXPECTED_START_TIME_DESC' },
  oldest: { label: 'Oldest first', sort: 'EXPECTED_START_TIME_ASC' },
  soonest: { label: 'Next to start', sort: 'NEXT_SCHEDULED_START_TIME_ASC' },
  ended: { label: 'Recently ended', sort: 'END_TIME_DESC' },
  name: { label: 'Name, A to Z', sort: 'NAME_ASC' },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly sort: FlowRunSort }>>

export type FlowRunOrder = keyof typeof flowRunSorts

/** Orders of a list of task runs. */
export const taskRunSorts = {
  newest: { label: 'Newest first', sort: 'EXPECTED_START_TIME_DESC' },
  oldest: { label: 'Oldest first', sort: 'EXPECTED_START_TIME_ASC' },
  ended: { label: 'Recently ended', sort: 'END_TIME_DESC' },
  name: { label: 'Name, A to Z', sort: 'NAME_ASC' },
  longest: { label: 'Longest first', sort: 'DURATION_DESC' },
  shortest: { label: 'Shortest first', sort: 'DURATION_ASC' },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly sort: TaskRunSort }>>

export type TaskRunOrder = keyof typeof taskRunSorts
