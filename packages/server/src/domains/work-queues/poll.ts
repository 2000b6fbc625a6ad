import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import type { WorkQueueRunsBody } from '@millrace/contracts/work-queue.ts'
import { notFound } from '../../errors.ts'
import type { FlowRunRow } from '../../runs/flow-run-rows.ts'
import type { Db } from '../../storage/database.ts'
import type { ActingContext, ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { type ListedFlowRun, toFlowRunResponse } from '../flow-runs/store.ts'
import { pageLimit } from '../request-params.ts'
import { countFilteredSlots, parseQueueFilter, readFilteredRuns } from './filtered-queue.ts'
import { handOutRuns } from './hand-out-runs.ts'
import { type DueRange, dueRange, type PolledQueue, readDueRuns, readDueRunsByName, readPolledQueue, remainingSlots } from './poll-store.ts'
import { recordPolls } from './record-polls.ts'
import { countPoolSlots, countQueueSlots, countSlotsByName } from './slot-usage.ts'

/** The due runs of one queue, earliest first. A peek is not recorded as a poll. */
export async function pollQueue(
  context: ActingContext,
  id: string,
  body: Received<typeof WorkQueueRunsBody>,
  isPeek: boolean,
): Promise<FlowRunResponse[]> {
  const { reads, clock, config } = context
  const limit = pageLimit(body.limit, config.server.api.default_limit)
  const range = dueRange(null, body.scheduled_before)
  const queue = await readPolledQueue(reads, id, range)
  if (!queue) throw notFound('Work queue')

  const paused = toBoolean(queue.is_paused) || toBoolean(queue.pool_paused)
  const runs = paused ? [] : await readRuns(context, queue, { range, limit, isPeek })
  if (!isPeek) await recordPolls(context, [queue])

  const now = clock.now()
  return runs.map((run) => toFlowRunResponse(run, now))
}

interface Wanted {
  readonly range: DueRange
  readonly limit: number
  readonly isPeek: boolean
}

async function readRuns(context: ServerContext, queue: PolledQueue, { range, limit, isPeek }: Wanted): Promise<ListedFlowRun[]> {
  const { reads } = context
  const capacity = await freeSlots(reads, queue)
  const max = Math.min(limit, capacity)
  if (max === 0) return []
  if (queue.filter !== null) return readFilteredRuns(reads, parseQueueFilter(queue.filter), range, max)
  const queues = queue.next_due === null ? [] : [{ id: queue.id, max: capacity }]
  const assigned = await (isPeek
    ? readDueRuns(reads, queues, range, max)
    : handOutRuns(context, { poolId: queue.pool_id, queues, range, capacity, limit }))
  const orphaned = await readDueRunsByName(reads, queue.name, range, max)
  return [...assigned, ...orphaned].sort(byDueTime).slice(0, max).map(omitPool)
}

/** As in the reference, this response has no pool, and the queue name is the one stored on the run. */
const omitPool = (run: FlowRunRow): ListedFlowRun => Object.assign(run, { queue_name: null, work_pool_id: null, work_pool_name: null })

const byDueTime = (a: FlowRunRow, b: FlowRunRow): number =>
  (a.next_scheduled_start_time as number) - (b.next_scheduled_start_time as number) || (a.id < b.id ? -1 : 1)

/** Slots that are free by the limits of the queue and of its pool. */
async function freeSlots(reads: Db, queue: PolledQueue): Promise<number> {
  const ofQueue = queue.concurrency_limit === null ? 0 : await countUsedSlots(reads, queue)
  const ofPool = queue.pool_limit === null ? 0 : ((await countPoolSlots(reads, [queue.pool_id])).get(queue.pool_id) ?? 0)
  return Math.min(remainingSlots(queue.concurrency_limit, ofQueue), remainingSlots(queue.pool_limit, ofPool))
}

async function countUsedSlots(reads: Db, queue: PolledQueue): Promise<number> {
  if (queue.filter !== null) return countFilteredSlots(reads, parseQueueFilter(queue.filter))
  return ((await countQueueSlots(reads, [queue.id])).get(queue.id) ?? 0) + (await countSlotsByName(reads, queue.name))
}
