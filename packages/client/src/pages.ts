import { InvalidRequestError } from './errors.ts'
import type { CallOptions } from './http.ts'
import { RecentIds } from './recent-ids.ts'

export interface PageOptions extends CallOptions {
  /** Items per request, at most what the server allows. Default: 200 (events: 50), or the maximum of the server if that is less. */
  readonly pageSize?: number
  /** Stops after this many items. */
  readonly max?: number
}

interface OffsetPage {
  readonly limit: number
  readonly offset: number
}

type ListPage<T> = (page: OffsetPage, options: CallOptions) => Promise<T[]>

const defaultPageSize = 200

/** Ids to remember, to recognize items that a shifted page returns again. */
const rememberedMax = 20_000

/**
 * Iterates over a list that is paged by offset. All sort orders of the server are unique, so that pages do not overlap by themselves. Each page repeats
 * the last item of the page before it. If that item is missing, earlier items were deleted, and the iteration steps back; items that it has returned
 * are skipped. An item whose sort key changes during the iteration can be missed.
 */
export async function* iterateByOffset<T extends { readonly id: string }>(
  listPage: ListPage<T>,
  { pageSize, max = Number.POSITIVE_INFINITY, ...options }: PageOptions = {},
): AsyncGenerator<T, void, undefined> {
  if (max <= 0) return
  const seen = new RecentIds(rememberedMax)
  let returned = 0
  let from = 0
  let limit = Math.min(pageSize ?? defaultPageSize, max)
  for (;;) {
    const page = await listAllowed(listPage, { limit, offset: from }, options, pageSize === undefined)
    limit = page.limit
    const isConnected = from === 0 || (page.items[0] !== undefined && seen.has(page.items[0].id))
    if (!isConnected) {
      from = Math.max(0, from - limit)
      continue
    }
    for (const item of page.items) {
      if (!seen.add(item.id)) continue
      yield item
      returned += 1
      if (returned >= max) return
    }
    if (page.items.length < limit) return
    from += page.items.length - 1
    // One item is repeated.
    limit = Math.max(2, limit)
  }
}

/** Lists a page. With the default page size, a server that allows less is asked for that. */
async function listAllowed<T>(
  listPage: ListPage<T>,
  page: OffsetPage,
  options: CallOptions,
  isDefaultSize: boolean,
): Promise<{ readonly items: T[]; readonly limit: number }> {
  try {
    return { items: await listPage(page, options), limit: page.limit }
  } catch (error) {
    const allowed = isDefaultSize && error instanceof InvalidRequestError ? limitMaxOf(error) : undefined
    if (allowed === undefined || allowed >= page.limit || allowed < 2) throw error
    return { items: await listPage({ ...page, limit: allowed }, options), limit: allowed }
  }
}

function limitMaxOf({ validationErrors }: InvalidRequestError): number | undefined {
  const max = validationErrors.find(({ loc }) => loc.at(-1) === 'limit')?.ctx?.le
  return typeof max === 'number' ? max : undefined
}

interface TimedPage extends OffsetPage {
  /** Items at or after this time, in the order of the list. */
  readonly time: string | undefined
}

/**
 * Iterates over a list that is sorted by time and can be filtered by it. Each page starts at the time of the last item, so that the cost of a page does
 * not grow with its number.
 */
export async function* iterateByTime<T extends { readonly id: string }>(
  listPage: (page: TimedPage, options: CallOptions) => Promise<T[]>,
  timeOf: (item: T) => string,
  { pageSize, max = Number.POSITIVE_INFINITY, ...options }: PageOptions = {},
): AsyncGenerator<T, void, undefined> {
  if (max <= 0) return
  const seen = new RecentIds(rememberedMax)
  let returned = 0
  let time: string | undefined
  // More than one page of items can have the same time.
  let offset = 0
  let limit = Math.min(pageSize ?? defaultPageSize, max)
  for (;;) {
    const at = time
    const page = await listAllowed((each, call) => listPage({ ...each, time: at }, call), { limit, offset }, options, pageSize === undefined)
    limit = page.limit
    for (const item of page.items) {
      if (!seen.add(item.id)) continue
      yield item
      returned += 1
      if (returned >= max) return
    }
    const last = page.items.at(-1)
    if (!last || page.items.length < limit) return
    offset = timeOf(last) === time ? offset + page.items.length : 0
    time = timeOf(last)
    limit = Math.max(2, limit)
  }
}
