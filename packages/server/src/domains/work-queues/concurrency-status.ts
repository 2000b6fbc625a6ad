import type { WorkQueueConcurrencyStatus } from '@millrace/contracts/concurrency-status.ts'
import type { Micros } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import { pageOffset, toPage } from '../request-params.ts'
import { countQueueSlots, countSlotsByName, readQueueHolders, toHolderResponse } from './slot-usage.ts'
import type { QueueRow } from './store.ts'

/** A page of the runs that hold slots of a queue, and how many there are in all. */
export async function readQueueConcurrency(db: Db, queue: QueueRow, limit: number, page: number, now: Micros): Promise<WorkQueueConcurrencyStatus> {
  const count = ((await countQueueSlots(db, [queue.id])).get(queue.id) ?? 0) + (await countSlotsByName(db, queue.name))
  const holders = await readQueueHolders(db, queue, { limit, offset: pageOffset(page, limit) })
  const { results, ...paging } = toPage(
    holders.map((run) => toHolderResponse(run, now)),
    count,
    limit,
    page,
  )
  return { active_slots: count, concurrency_limit: queue.concurrency_limit, flow_runs: [...results], ...paging }
}
