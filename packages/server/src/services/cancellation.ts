import { cancelRemainingTasks, cancelSubflows, finishStuckCancellations, listRemainingSubflows } from '../domains/flow-runs/finish-cancellations.ts'
import { addSeconds, type Micros } from '../lib/time.ts'
import { type ActingContext, perServer } from '../storage/server-context.ts'
import type { Service } from './service.ts'
import { writeInBatches } from './service.ts'

/** Runs per transaction. */
const batchSize = 200
const subflowsMax = 5000
/** How long after a cancellation new tasks and subflows are still found. The first pass after a start looks further back. */
const lookBackSeconds = 3600
const firstLookBackSeconds = 24 * 3600

/** The start time of the last complete pass. */
const lastPass = perServer((): { at: Micros | undefined } => ({ at: undefined }))

/**
 * Cancels unfinished tasks and subflows of cancelled runs. Ends runs that stay in Cancelling because no worker reported that they stopped.
 * Settings: services.cancellation.every_seconds (20), grace_seconds (300). Reports: ended, subflows, tasks.
 */
export const cancellation: Service = {
  name: 'cancellation',
  enabled: (config) => config.services.cancellation.enabled,
  everySeconds: (config) => config.services.cancellation.every_seconds,
  async runOnce(context, signal) {
    const now = context.clock.now()
    const last = lastPass(context)
    const since = last.at === undefined ? addSeconds(now, -firstLookBackSeconds) : addSeconds(last.at, -lookBackSeconds)
    const ended = await writeInBatches(
      context,
      signal,
      batchSize,
      finishStuckCancellations(context, addSeconds(now, -context.config.services.cancellation.grace_seconds), batchSize),
    )
    const subflows = await cancelRemainingSubflows(context, signal, since)
    const tasks = await writeInBatches(context, signal, batchSize, cancelRemainingTasks(context, since, batchSize))
    if (!signal.aborted) last.at = now
    return { ended, subflows, tasks }
  },
}

/** Tries each subflow once per pass. A rule may reject the cancellation, and a loop over all rows would not end. */
async function cancelRemainingSubflows(context: ActingContext, signal: AbortSignal, since: Micros): Promise<number> {
  const ids = await listRemainingSubflows(context.reads, since, subflowsMax)
  let cancelled = 0
  for (let at = 0; at < ids.length && !signal.aborted; at += batchSize)
    cancelled += await context.commands.submit(cancelSubflows(context, ids.slice(at, at + batchSize)))
  return cancelled
}
