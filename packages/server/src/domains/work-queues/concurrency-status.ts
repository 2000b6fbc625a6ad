import type { WorkQueueConcurrencyStatus } from '@millrace/contracts/concurrency-status.ts'
import type { Micros } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import { offsetOf, pageOf } from '../paging.ts'
import { countQueueSlots, countSlotsByName, holderAnswer, readQueueHolders } from './slots.ts'
import type { QueueRow } from './store.ts'

/** A page of the runs that hold slots of a queue, and how many there are in all. */
export async function readQueueConcurrency(db: Db, queue: QueueRow, limit: number, page: number, now: Micros): Promise<WorkQueueConcurrencyStatus> {
  const count = ((await countQueueSlots(db, [queue.id])).get(queue.id) ?? 0) + (await countSlotsByName(db, queue.name))
  const holders = await readQueueHolders(db, queue, { limit, offset: offsetOf(page, limit) })
  const { results, ...paging } = pageOf(
    holders.map((run) => holderAnswer(run, now)),
    count,
    limit,
    page,
  )
  return { active_slots: count, concurrency_limit: queue.concurrency_limit, flow_runs: [...results], ...paging }
}
