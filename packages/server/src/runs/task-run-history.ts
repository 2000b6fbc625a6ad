import { readEventsOfResources } from '../events/find-events.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { ReadTaskHistory } from './command.ts'
import { isTaskRunEvent, parseTaskRunEvent, type TaskRunEvent } from './task-run-events.ts'

/** Reads what clients have reported of task runs from the log. */
export const taskHistoryReader =
  ({ reads }: ServerContext): ReadTaskHistory =>
  async (taskRunIds) => {
    const recorded = new Map<string, TaskRunEvent[]>()
    const rows = await readEventsOfResources(
      reads,
      taskRunIds.map((id) => `prefect.task-run.${id}`),
    )
    for (const row of rows) {
      const event = { ...row, resource: JSON.parse(row.resource), related: JSON.parse(row.related) }
      const taskEvent = isTaskRunEvent(event) ? parseTaskRunEvent(event) : undefined
      if (!taskEvent) continue
      const others = recorded.get(taskEvent.id)
      if (others) others.push(taskEvent)
      else recorded.set(taskEvent.id, [taskEvent])
    }
    return recorded
  }
