import type { Db } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'

/** Criteria that compare texts row by row, or JSON. */
const searchKeys: ReadonlySet<string> = new Set(['like_', 'startswith_', 'matches_', 'query'])

/** Whether filters search for a part of a text or JSON. A name and a pattern of 1,000 characters take SQLite up to 2 ms, and a search compares 20,000 names and more. */
export const hasTextSearch = (filters: unknown): boolean =>
  typeof filters === 'object' &&
  filters !== null &&
  Object.entries(filters).some(([key, value]) => (searchKeys.has(key) ? value != null && value !== '' : hasTextSearch(value)))

/** Where a list or a count is read: on SQLite a search runs on the thread for long reads, so that other requests do not wait for it. */
export const readsFor = ({ heavyReads, longReads }: Pick<ServerContext, 'heavyReads' | 'longReads'>, filters: unknown, others = heavyReads): Db =>
  hasTextSearch(filters) ? longReads : others

/** The part of a filter that ids can narrow. */
interface Narrowable {
  readonly operator?: 'and_' | 'or_'
  readonly id?: object | null
}

/**
 * Replaces the search of a filter in a write by what it finds now, because on SQLite the write would search on the thread of all requests. The write still checks the filter
 * for these, unless its criteria are alternatives or have ids of their own.
 */
export async function findBeforeWrite<F extends Narrowable>(
  { reads, longReads }: Pick<ServerContext, 'reads' | 'longReads'>,
  filter: F,
  find: (db: Db) => Promise<readonly string[]>,
): Promise<F> {
  if (reads.dialect.isShared || !hasTextSearch(filter)) return filter
  const id = { any_: await find(longReads) }
  return filter.operator === 'or_' || filter.id ? ({ id } as unknown as F) : { ...filter, id }
}
