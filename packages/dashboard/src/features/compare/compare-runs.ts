import type { TaskRun } from '@millrace/contracts/task-run.ts'

/** The runs of one task in one flow run. */
export interface TaskTotals {
  readonly runs: number
  readonly seconds: number
  readonly failed: number
}

export interface TaskPair {
  readonly key: string
  readonly name: string
  readonly a: TaskTotals | undefined
  readonly b: TaskTotals | undefined
}

/** Joins the tasks of two runs by key, in order of first appearance. Runs of a mapped task are combined. */
export function joinTasks(a: readonly TaskRun[], b: readonly TaskRun[]): TaskPair[] {
  const sides = [totalsByTask(a), totalsByTask(b)] as const
  const names = new Map([...b, ...a].map((task) => [task.task_key, taskName(task)]))
  const keys = [...new Set([...a, ...b].map(({ task_key }) => task_key))]
  return keys.map((key) => ({ key, name: names.get(key) ?? key, a: sides[0].get(key), b: sides[1].get(key) }))
}

function totalsByTask(tasks: readonly TaskRun[]): Map<string, TaskTotals> {
  const shares = new Map<string, TaskTotals>()
  for (const { task_key, total_run_time, state_type } of tasks) {
    const { runs, seconds, failed } = shares.get(task_key) ?? { runs: 0, seconds: 0, failed: 0 }
    const isFailure = state_type === 'FAILED' || state_type === 'CRASHED'
    shares.set(task_key, { runs: runs + 1, seconds: seconds + (total_run_time ?? 0), failed: failed + (isFailure ? 1 : 0) })
  }
  return shares
}

/** Strips the run number or hash from a name such as `extract-3`. */
const taskName = ({ name }: TaskRun): string => name.replace(/-[0-9a-f]{1,8}$/, '')

/** Relative change from the first to the second. Undefined without a comparable value. */
export function relativeChange(a: number | undefined, b: number | undefined): number | undefined {
  return a && b !== undefined ? (b - a) / a : undefined
}
