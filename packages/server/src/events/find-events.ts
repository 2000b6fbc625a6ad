import { earliestTime, type Micros } from '../lib/time.ts'
import type { Db } from '../storage/database.ts'
import { type Criteria, isAnsweredBySummaries, toCriteria } from './criteria.ts'
import { readEventsById, readEventsByPosition } from './log-reader.ts'
import { LoggedEvent } from './logged-event.ts'
import { MatchBudget, stepsPerSegment } from './match-budget.ts'
import { matchesEvent } from './match-event.ts'
import { countNamesBySummary } from './segments/count-summaries.ts'
import { findInSegments } from './segments/find-in-segments.ts'
import { forEachMatch, scanSegments } from './segments/scan.ts'
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
export async function findByIds(db: Db, criteria: Criteria, ids: readonly string[]): Promise<EventRow[]> {
  const budget = new MatchBudget(stepsPerSegment)
  return (await readEventsById(db, ids)).filter((row) => matchesEvent(criteria, new LoggedEvent(row), budget))
}

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

const criteriaSince = (filter: Parameters<typeof toCriteria>[0], since: Micros): Criteria =>
  toCriteria(filter, { since, until: Number.MAX_SAFE_INTEGER })

/** All events of the log about one of the resources, in any order. Related resources do not count. */
export async function readEventsOfResources(reads: Db, resourceIds: readonly string[]): Promise<EventRow[]> {
  const positions: number[] = []
  const criteria = criteriaSince({ resource: { id: [...resourceIds] } }, earliestTime)
  for await (const matches of scanSegments(reads, criteria)) forEachMatch(matches, (_occurred, position) => positions.push(position))
  return readEventsByPosition(reads, positions)
}

/** Those of the resources that have an event since a time, also as a related resource. */
export async function findActiveResources(reads: Db, resourceIds: readonly string[], since: Micros): Promise<Set<string>> {
  const active = new Set<string>()
  for (const id of resourceIds) {
    // A given total ends the search at the first event.
    const { keys } = await findEvents(reads, criteriaSince({ any_resource: { id: [id] } }, since), { limit: 1, total: 1 })
    if (keys.length > 0) active.add(id)
  }
  return active
}
