import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import type { WorkQueueRunsBody } from '@millrace/contracts/work-queue.ts'
import { notFound } from '../../errors.ts'
import type { Db } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { type FlowRunRow, type FlowRunWithPool, toFlowRunResponse } from '../flow-runs/store.ts'
import { pageLimit } from '../request-params.ts'
import { type DueRange, dueRange, readDueRuns, readDueRunsByName } from './due-runs.ts'
import { countFilteredSlots, parseQueueFilter, readFilteredRuns } from './filtered-queue.ts'
import { type PolledQueue, readPolledQueue, remainingSlots } from './poll-query.ts'
import { recordPolls } from './record-polls.ts'
import { countPoolSlots, countQueueSlots, countSlotsByName } from './slot-usage.ts'

/** The runs that are due in one queue, earliest first. One who only looks leaves no trace. */
export async function pollQueue(
  context: ServerContext,
  id: string,
  body: Received<typeof WorkQueueRunsBody>,
  onlyLooks: boolean,
): Promise<FlowRunResponse[]> {
  const { reads, clock, config } = context
  const limit = pageLimit(body.limit, config.server.api.default_limit)
  const range = dueRange(null, body.scheduled_before)
  const queue = await readPolledQueue(reads, id, range)
  if (!queue) throw notFound('Work queue')

  const paused = toBoolean(queue.is_paused) || toBoolean(queue.pool_paused)
  const runs = paused ? [] : await readRuns(reads, queue, range, limit)
  if (!onlyLooks) await recordPolls(context)([queue])

  const now = clock.now()
  return runs.map((run) => toFlowRunResponse(run, now))
}

async function readRuns(reads: Db, queue: PolledQueue, range: DueRange, limit: number): Promise<FlowRunWithPool[]> {
  const max = Math.min(limit, await freeSlots(reads, queue))
  if (max === 0) return []
  if (queue.filter !== null) return readFilteredRuns(reads, parseQueueFilter(queue.filter), range, max)
  const own = queue.next_due === null ? [] : await readDueRuns(reads, [{ id: queue.id, max }], range, max)
  const lost = await readDueRunsByName(reads, queue.name, range, max)
  return [...own, ...lost].sort(byDueTime).slice(0, max).map(omitPool)
}

/** Those who ask know the pool; existing clients are not told it here, and of the queue's name only what the run itself says. */
const omitPool = (run: FlowRunRow): FlowRunWithPool => Object.assign(run, { queue_name: null, work_pool_id: null, work_pool_name: null })

const byDueTime = (a: FlowRunRow, b: FlowRunRow): number =>
  (a.next_scheduled_start_time as number) - (b.next_scheduled_start_time as number) || (a.id < b.id ? -1 : 1)

/** Slots that neither the queue's limit nor the pool's takes away. */
async function freeSlots(reads: Db, queue: PolledQueue): Promise<number> {
  const ofQueue = queue.concurrency_limit === null ? 0 : await countUsedSlots(reads, queue)
  const ofPool = queue.pool_limit === null ? 0 : ((await countPoolSlots(reads, [queue.pool_id])).get(queue.pool_id) ?? 0)
  return Math.min(remainingSlots(queue.concurrency_limit, ofQueue), remainingSlots(queue.pool_limit, ofPool))
}

async function countUsedSlots(reads: Db, queue: PolledQueue): Promise<number> {
  if (queue.filter !== null) return countFilteredSlots(reads, parseQueueFilter(queue.filter))
  return ((await countQueueSlots(reads, [queue.id])).get(queue.id) ?? 0) + (await countSlotsByName(reads, queue.name))
}
