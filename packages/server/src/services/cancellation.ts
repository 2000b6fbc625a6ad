import { cancelRemainingTasks, cancelSubflows, finishStuckCancellations, listRemainingSubflows } from '../domains/flow-runs/finish-cancellations.ts'
import { addSeconds, type Micros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import { perServer, type ServerContext } from '../storage/server-context.ts'
import type { Service } from './service.ts'

/** Ended in one transaction at most, so that nobody waits long behind it. */
const batchSize = 200
const subflowsMax = 5000
/** How long after a cancellation tasks and subflows may still turn up; the first pass after a start looks further back. */
const lookBackSeconds = 3600
const firstLookBackSeconds = 24 * 3600

/** When the last pass that came to its end began. */
const lastPass = perServer((): { at: Micros | undefined } => ({ at: undefined }))

/**
 * Ends what cancelled runs left unfinished: their tasks and their subflows; and runs that stay in Cancelling because whoever was to
 * stop them never told.
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
    const ended = await inBatches(
      context,
      signal,
      finishStuckCancellations(context, addSeconds(now, -context.config.services.cancellation.grace_seconds), batchSize),
    )
    const subflows = await endSubflows(context, signal, since)
    const tasks = await inBatches(context, signal, cancelRemainingTasks(context, since, batchSize))
    if (!signal.aborted) last.at = now
    return { ended, subflows, tasks }
  },
}

async function inBatches({ writeQueue }: ServerContext, signal: AbortSignal, end: (tx: Tx) => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const found = await writeQueue.submit(end)
    total += found
    if (found < batchSize || signal.aborted) return total
  }
}

/** Each is tried once a pass: the rules may leave one as it is, and it would be met again and again. */
async function endSubflows(context: ServerContext, signal: AbortSignal, since: Micros): Promise<number> {
  const ids = await listRemainingSubflows(context.reads, since, subflowsMax)
  let cancelled = 0
  for (let at = 0; at < ids.length && !signal.aborted; at += batchSize)
    cancelled += await context.writeQueue.submit(cancelSubflows(context, ids.slice(at, at + batchSize)))
  return cancelled
}
