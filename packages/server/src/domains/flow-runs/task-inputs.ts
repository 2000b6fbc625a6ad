import type { TaskInputs } from '@millrace/contracts/task-run.ts'

/** One source of an argument of a task run. */
export interface TaskInput {
  /** Of the argument. `__parents__` is no argument: it names what the task runs within. */
  readonly name: string
  readonly type: string
  /** Of the run it comes from; constants and parameters come from none. */
  readonly id: string | undefined
}

export function parseTaskInputs(text: string): TaskInput[] {
  return Object.entries(JSON.parse(text) as TaskInputs).flatMap(([name, sources]) =>
    sources.map((source) => ({ name, type: source.input_type ?? '', id: 'id' in source ? source.id : undefined })),
  )
}
