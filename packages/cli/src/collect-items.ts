import type { PageOptions } from '@millrace/client/pages.ts'
import type { Cli } from './cli.ts'

/** Collects a list up to the value of `--limit`, and tells if there is more. */
export async function collectItems<T>(cli: Cli, limit: number, iterate: (options: PageOptions) => AsyncIterable<T>): Promise<T[]> {
  const items = await Array.fromAsync(iterate({ max: limit + 1 }))
  if (items.length > limit) cli.output.note(`There are more than ${limit}. Use --limit to see them.`)
  return items.slice(0, limit)
}

/** Requests that run at once, so that a long list does not open a connection for each item. */
const concurrentMax = 8

/** Maps a list with requests. */
export async function mapWithRequests<T, R>(items: readonly T[], request: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += concurrentMax) {
    results.push(...(await Promise.all(items.slice(start, start + concurrentMax).map(request))))
  }
  return results
}
