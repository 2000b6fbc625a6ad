import type { WorkPoolConcurrencyStatus } from '@millrace/contracts/concurrency-status.ts'
import type { Micros } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import { pageOffset, toPage } from '../request-params.ts'
import { countQueueSlotsOfPool, readPoolHolders, toHolderResponse } from '../work-queues/slot-usage.ts'
import { readQueuesOfPool } from '../work-queues/store.ts'
import type { PoolRow } from './store.ts'

interface PoolConcurrencyQuery {
  readonly limit: number
  readonly page: number
  readonly runsMax: number
}

/** The runs that hold slots of a pool, by queue: a page of queues with the first runs of each. */
export async function readPoolConcurrency(
  db: Db,
  pool: PoolRow,
  { limit, page, runsMax }: PoolConcurrencyQuery,
  now: Micros,
): Promise<WorkPoolConcurrencyStatus> {
  const queues = await readQueuesOfPool(db, pool.id)
  const counts = await countQueueSlotsOfPool(
    db,
    queues.map(({ id }) => id),
  )
  const shown = queues.slice(pageOffset(page, limit), pageOffset(page, limit) + limit)
  const holders = Map.groupBy(
    await readPoolHolders(
      db,
      shown.map(({ id }) => id),
      runsMax,
    ),
    (run) => run.work_queue_id,
  )
  const details = shown.map((queue) => {
    const active = counts.get(queue.id) ?? 0
    return {
      queue_id: queue.id,
      queue_name: queue.name,
      active_slots: active,
      concurrency_limit: queue.concurrency_limit,
      flow_runs: (holders.get(queue.id) ?? []).map((run) => toHolderResponse(run, now)),
      flow_run_count: active,
    }
  })
  const { results, ...paging } = toPage(details, queues.length, limit, page)
  const used = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return { active_slots: used, concurrency_limit: pool.concurrency_limit, queues: [...results], ...paging }
}
