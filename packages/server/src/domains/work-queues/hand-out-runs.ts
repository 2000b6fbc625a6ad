import type { ServerContext } from '../../storage/server-context.ts'
import type { Row } from '../../storage/tables.ts'
import { handedOutRuns } from './handed-out.ts'
import { type DueRange, type QueueCapacity, readDueRunIds, readDueRuns, readScheduledRuns } from './poll-store.ts'

/** How often a poll reads at most. It reads again if others got the runs that it has read. */
const readsMax = 3

interface Wanted {
  readonly poolId: string
  readonly queues: readonly QueueCapacity[]
  readonly range: DueRange
  /** Free slots of the pool. Only so many of the first runs are handed out, however many workers poll, because a claim does not check limits. */
  readonly capacity: number
  /** How many runs the worker wants. */
  readonly limit: number
}

/** Due runs for a worker. Those that another worker got within the last second are handed out last. The response is ordered by queue and then by time. */
export async function handOutRuns(context: ServerContext, { poolId, queues, range, capacity, limit }: Wanted): Promise<Row<'flow_run'>[]> {
  const { reads, clock, random } = context
  const max = Math.min(limit, capacity)
  if (queues.length === 0 || max === 0) return []
  const handedOut = handedOutRuns(context, poolId)
  const isContended = handedOut.isContended(clock.now())
  return handedOut.whileWanted(max, async () => {
    if (!isContended) {
      const runs = await readDueRuns(reads, queues, range, max)
      // A poll that began during the read may have been faster.
      if (!runs.some(({ id }) => handedOut.isHandedOut(id))) {
        handedOut.record(
          runs.map(({ id }) => id),
          clock.now(),
        )
        return runs
      }
    }
    for (let readsLeft = readsMax; ; ) {
      const count = Math.min(capacity, handedOut.runsToRead(max))
      const ids = await readDueRunIds(reads, queues, range, count)
      readsLeft -= 1
      // Polls that began during the read may have got all of these. There are no others if fewer than asked for came back.
      const mayFindMore = ids.length === count && count < capacity && handedOut.countNew(ids) < max
      if (!mayFindMore || readsLeft === 0) return readScheduledRuns(reads, handedOut.choose(ids, max, clock.now(), random))
    }
  })
}
