import type { TaskRun } from '@millrace/contracts/task-run.ts'

/** What one run did of a task. */
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

/** The tasks of two runs by their key, in the order in which they first appear; the runs of a mapped task are taken together. */
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

/** `extract-3` is the fourth run of `extract`; keys end in a hash that says nothing to people. */
const taskName = ({ name }: TaskRun): string => name.replace(/-[0-9a-f]{1,8}$/, '')

/** How much longer or shorter, as a share of the first; undefined where that says nothing. */
export function relativeChange(a: number | undefined, b: number | undefined): number | undefined {
  return a && b !== undefined ? (b - a) / a : undefined
}
