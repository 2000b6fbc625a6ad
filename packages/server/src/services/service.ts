import type { Config } from '../config.ts'
import type { Tx } from '../storage/database.ts'
import type { ActingContext } from '../storage/server-context.ts'

/** A background task: a bounded pass that the loop repeats. Tests call the pass directly. */
export interface Service {
  readonly name: string
  enabled(config: Config): boolean
  everySeconds(config: Config): number
  /** Topics of the bus. A commit that notifies one of them starts a pass at once. */
  readonly wakeOn?: readonly string[]
  /** Runs one pass as the actor of the context, which is the service, and returns its counts by name. The loop logs them when one is not zero. */
  runOnce(context: ActingContext, signal: AbortSignal): Promise<Readonly<Record<string, number>>>
}

/**
 * Repeats a write that handles up to `batchSize` rows until it finds fewer. Returns how many it handled. Small batches keep each transaction short, so that
 * requests in the write queue do not wait long.
 */
export async function writeInBatches(
  { commands }: ActingContext,
  signal: AbortSignal,
  batchSize: number,
  write: (tx: Tx) => Promise<number>,
): Promise<number> {
  for (let total = 0; ; ) {
    const handled = await commands.submit(write)
    total += handled
    if (handled < batchSize || signal.aborted) return total
  }
}
