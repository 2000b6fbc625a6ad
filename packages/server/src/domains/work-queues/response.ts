import type { WorkQueueResponse, WorkQueueStatus } from '@millrace/contracts/work-queue.ts'
import { rawJson } from '../../lib/json.ts'
import { formatNullableTime, formatTime } from '../../lib/time.ts'
import { toBoolean } from '../../storage/tables.ts'
import type { QueueWithPool } from './store.ts'

/** Serializes a queue. `activeSlots` is shown only if the queue has a limit. */
export const toQueueResponse = (row: QueueWithPool, activeSlots: number): WorkQueueResponse => ({
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
  name: row.name,
  description: row.description,
  is_paused: toBoolean(row.is_paused),
  concurrency_limit: row.concurrency_limit,
  priority: row.priority,
  work_pool_id: row.work_pool_id,
  filter: rawJson(row.filter),
  last_polled: formatNullableTime(row.last_polled),
  work_pool_name: row.work_pool_name,
  status: row.status as WorkQueueStatus,
  active_slots: row.concurrency_limit === null ? null : activeSlots,
})
