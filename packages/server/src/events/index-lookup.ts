import { sql } from 'kysely'
import { all, type Condition } from '../storage/criteria.ts'
import { type Db, statement } from '../storage/database.ts'
import type { Criteria, ResourceCriteria } from './criteria.ts'
import { LoggedEvent } from './logged-event.ts'
import { matchesEvent } from './match-event.ts'
import { segmentIndexOf } from './segments/segment-index.ts'
import { type EventKey, type EventRow, readEventsByKey } from './store.ts'
import { isPrimaryResource, isRelatedResource, replanHint, resourceWhere } from './where.ts'

const byIds = statement((dialect) => `select * from event where ${dialect.inList('id', '$1', 'uuid')}`)

/** The events that a filter finds, when it names so few that each of them can be looked at; whatever else it asks for. */
export async function lookupEvents(db: Db, criteria: Criteria): Promise<EventRow[] | undefined> {
  const rows = criteria.ids ? await db.all<EventRow>(byIds, [db.dialect.list(criteria.ids)]) : await lookupByResource(db, criteria)
  return rows?.filter((row) => matchesEvent(criteria, new LoggedEvent(row)))
}

/** To read a row and take it apart costs as much as to ask a dozen in their chapter. */
const lookupShareOfSegment = 1 / 12

async function lookupByResource(db: Db, criteria: Criteria): Promise<EventRow[] | undefined> {
  const most = Math.floor(segmentIndexOf(db).size * lookupShareOfSegment)
  for (const link of resourceLookups(criteria)) {
    const places = await readKeys(db, criteria, link, most)
    if (places) return readEventsByKey(db, places)
  }
  return undefined
}

/** Where the events that a filter finds are, when they are few; more of them when they can be read off the index of resources without a look at any. */
export async function lookupKeys(db: Db, criteria: Criteria): Promise<(EventKey & { readonly resource_id?: string })[] | undefined> {
  const [link] = resourceLookups(criteria)
  return link && isCoveredByIndex(criteria, link) ? readKeys(db, criteria, link, segmentIndexOf(db).size) : lookupEvents(db, criteria)
}

/** Whether a filter asks for one resource by its id and role, and for nothing else. */
const isCoveredByIndex = ({ ids, names, resource, related, any, search, distinct }: Criteria, { wanted }: ResourceLookup): boolean =>
  !ids &&
  !names &&
  !search &&
  !distinct &&
  Number(resource !== null) + related.length + any.length === 1 &&
  wanted.labels.length + wanted.prefixes.length === 0

interface ResourceLookup {
  readonly wanted: ResourceCriteria
  readonly roleConditions: Condition[]
}

/** The resources that a filter names by whole ids: only these are a single step into the index. */
function resourceLookups({ resource, related, any }: Criteria): ResourceLookup[] {
  return [
    ...(resource ? [{ wanted: resource, roleConditions: [isPrimaryResource] }] : []),
    ...related.map((wanted) => ({ wanted, roleConditions: [isRelatedResource] })),
    ...any.map((wanted) => ({ wanted, roleConditions: [] })),
  ].filter(({ wanted }) => wanted.ids.length + wanted.idRolePairs.length > 0)
}

/** Each place once, though an event may have a resource in several roles; nothing when there are more than so many. */
async function readKeys(db: Db, criteria: Criteria, { wanted, roleConditions: role }: ResourceLookup, most: number): Promise<EventKey[] | undefined> {
  const where = all([...role, ...resourceWhere(db.dialect, wanted, criteria)])
  const { rows } = await sql<EventKey>`${replanHint}
    select event_resource.occurred, event_resource.event_position as position from event_resource where ${where} limit ${most + 1}`.execute(db.kysely)
  if (rows.length > most) return undefined
  return [...new Map(rows.map((place) => [place.position, place])).values()]
}
