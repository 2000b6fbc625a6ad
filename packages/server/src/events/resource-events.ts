import { earliestTime, type Micros } from '../lib/time.ts'
import type { Db } from '../storage/database.ts'
import { type Criteria, toCriteria } from './criteria.ts'
import { findEvents } from './find-events.ts'
import { readEventsByPosition } from './log-reader.ts'
import { forEachMatch, scanSegments } from './segments/scan.ts'
import type { EventRow } from './store.ts'

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
