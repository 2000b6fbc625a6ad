import type { MillraceClient } from '@millrace/client/client.ts'
import type { WorkQueueResponse } from '@millrace/contracts/work-queue.ts'
import { mapWithRequests } from '../collect-items.ts'
import { ageColumn, nameColumn } from '../output/columns.ts'
import { slotColumns, statusColumn } from '../output/status-column.ts'
import type { Column } from '../output/table.ts'

/** A queue with its slots in use, which the API leaves out for a queue without a limit. */
export interface QueueUsage extends WorkQueueResponse {
  readonly slots_in_use: number
}

/** A queue that is created paused has another status until it is paused again. */
const queueStatus = ({ is_paused, status }: WorkQueueResponse): string | null => (is_paused ? 'PAUSED' : status)

export const queueStatusColumn: Column<QueueUsage> = statusColumn(queueStatus)

export const queueSlotColumns = slotColumns<QueueUsage>(({ slots_in_use, concurrency_limit }) => ({ used: slots_in_use, limit: concurrency_limit }))

export const queueColumns: readonly Column<QueueUsage>[] = [
  { ...nameColumn, isFixed: true },
  { title: 'PRIORITY', value: ({ priority }) => priority, isNumber: true },
  queueStatusColumn,
  ...queueSlotColumns,
  ageColumn('LAST POLLED', ({ last_polled }) => last_polled),
]

/** Adds the slots in use, with one request for each pool. */
export async function withUsage(client: MillraceClient, queues: readonly WorkQueueResponse[]): Promise<QueueUsage[]> {
  const pools = [...new Set(queues.flatMap(({ work_pool_name }) => work_pool_name ?? []))]
  const used = new Map((await mapWithRequests(pools, (pool) => readSlotsByQueue(client, pool))).flat())
  return queues.map((queue) => ({ ...queue, slots_in_use: used.get(queue.id) ?? 0 }))
}

/** The queues of a pool by priority. */
export const readPoolQueues = async (client: MillraceClient, pool: string): Promise<QueueUsage[]> =>
  withUsage(client, await Array.fromAsync(client.workQueues.listAllInPool(pool)))

async function readSlotsByQueue(client: MillraceClient, pool: string): Promise<(readonly [queueId: string, slots: number])[]> {
  const slots: (readonly [string, number])[] = []
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const status = await client.workPools.concurrencyStatus(pool, { flow_run_limit: 0, page })
    slots.push(...status.queues.map(({ queue_id, active_slots }) => [queue_id, active_slots] as const))
    pages = status.pages
  }
  return slots
}
