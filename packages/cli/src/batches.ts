import type { Cli } from './cli.ts'
import { LiveLine, progressText } from './output/live-line.ts'

/** Maximum number of items in a bulk request of the server. */
export const batchSizeMax = 50

/** Handles items in batches, one after the other, and shows the progress on a terminal. Ctrl-C stops before the next batch. */
export async function inBatches<T, R>(
  cli: Cli,
  items: readonly T[],
  noun: string,
  handle: (batch: readonly T[]) => Promise<readonly R[]>,
  batchSize = batchSizeMax,
): Promise<R[]> {
  const line = new LiveLine(cli.io)
  const results: R[] = []
  try {
    for (let at = 0; at < items.length; at += batchSize) {
      if (cli.io.signal.aborted) {
        line.draw('')
        cli.output.note(`Stopped after ${at} of ${items.length} ${noun}.`)
        cli.io.signal.throwIfAborted()
      }
      if (items.length > batchSize) line.draw(progressText(at, items.length, noun))
      results.push(...(await handle(items.slice(at, at + batchSize))))
    }
  } finally {
    line.draw('')
  }
  return results
}
