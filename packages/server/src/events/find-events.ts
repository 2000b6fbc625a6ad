import type { Db } from '../storage/database.ts'
import { isAnsweredBySummaries, type Criteria } from './criteria.ts'
import { readEventsById } from './log-reader.ts'
import { LoggedEvent } from './logged-event.ts'
import { matchesEvent } from './match-event.ts'
import { countNamesBySummary } from './segments/count-summaries.ts'
import { findInSegments } from './segments/find-in-segments.ts'
import { comesBefore, type EventKey, type EventRow, type PageRequest, type PageResult } from './store.ts'

/** A page of events with the total. Ids are looked up. Everything else scans the segments that may contain matching events. */
export async function findEvents(db: Db, criteria: Criteria, request: PageRequest): Promise<PageResult> {
  if (criteria.since > criteria.until) return { keys: [], total: 0 }
  if (criteria.ids) {
    const rows = await findByIds(db, criteria, criteria.ids)
    return toPage(criteria.distinct ? firstPerResource(rows, criteria) : rows, criteria, request)
  }
  if (criteria.distinct || !isAnsweredBySummaries(criteria)) return findInSegments(db, criteria, request)
  // With the total, the scan ends when the page is full.
  const total = request.total ?? (await countNamesBySummary(db, criteria)).reduce((sum, { count }) => sum + count, 0)
  return total === 0 ? { keys: [], total } : findInSegments(db, criteria, { ...request, total })
}

/** The events with the given ids that match the rest of the filter. */
export const findByIds = async (db: Db, criteria: Criteria, ids: readonly string[]): Promise<EventRow[]> =>
  (await readEventsById(db, ids)).filter((row) => matchesEvent(criteria, new LoggedEvent(row)))

function toPage(found: readonly EventKey[], criteria: Criteria, { limit, after, total }: PageRequest): PageResult {
  const sorted = found.toSorted((a, b) => (comesBefore(criteria, a, b) ? -1 : 1))
  const rest = after ? sorted.filter((key) => comesBefore(criteria, after, key)) : sorted
  return { keys: rest.slice(0, limit).map(({ occurred, position }) => ({ occurred, position })), total: total ?? found.length }
}

/** The first event of each resource, in the order of the list. */
function firstPerResource(found: readonly EventRow[], criteria: Criteria): EventRow[] {
  const firsts = new Map<string, EventRow>()
  for (const row of found) {
    const first = firsts.get(row.resource_id)
    if (!first || comesBefore(criteria, row, first)) firsts.set(row.resource_id, row)
  }
  return [...firsts.values()]
}
