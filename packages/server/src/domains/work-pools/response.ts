import type { WorkPoolResponse, WorkPoolStatus } from '@millrace/contracts/work-pool.ts'
import { rawJson } from '../../lib/json.ts'
import { formatTime } from '../../lib/time.ts'
import { toBoolean } from '../../storage/tables.ts'
import { hasStatus } from './pool-status.ts'
import type { PoolRow } from './store.ts'

/** Serializes a pool. `activeSlots` is shown only if the pool has a limit. */
export const toPoolResponse = (row: PoolRow, activeSlots: number): WorkPoolResponse => ({
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
  name: row.name,
  description: row.description,
  type: row.type,
  base_job_template: rawJson(row.base_job_template),
  is_paused: toBoolean(row.is_paused),
  concurrency_limit: row.concurrency_limit,
  status: hasStatus(row.type) ? (row.status as WorkPoolStatus | null) : null,
  default_queue_id: row.default_queue_id,
  storage_configuration: rawJson(row.storage_configuration),
  active_slots: row.concurrency_limit === null ? null : activeSlots,
})
