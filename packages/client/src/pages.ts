import type { CallOptions } from './http.ts'

export interface PageOptions extends CallOptions {
  /** Items per request. The server may allow fewer. Default: 200. */
  readonly pageSize?: number
  /** Stops after this many items. */
  readonly max?: number
}

interface OffsetPage {
  readonly limit: number
  readonly offset: number
}

const defaultPageSize = 200

/**
 * Iterates over a list that is paged by offset. Items that are created or deleted during the iteration shift the pages: an item that appears twice is
 * returned once, and an item can be missed. Sort by creation, oldest first, where that matters.
 */
export async function* iterateByOffset<T extends { readonly id: string }>(
  listPage: (page: OffsetPage, options: CallOptions) => Promise<T[]>,
  { pageSize = defaultPageSize, max = Number.POSITIVE_INFINITY, ...options }: PageOptions = {},
): AsyncGenerator<T, void, undefined> {
  let returned = 0
  let lastPage = new Set<string>()
  for (let offset = 0; returned < max; ) {
    const limit = Math.min(pageSize, max - returned)
    const items = await listPage({ limit, offset }, options)
    offset += items.length
    for (const item of items) {
      if (lastPage.has(item.id)) continue
      yield item
      returned += 1
    }
    if (items.length < limit) return
    lastPage = new Set(items.map(({ id }) => id))
  }
}
