import { sql } from 'kysely'
import { all, type Condition } from '../storage/criteria.ts'
import { type Db, statement } from '../storage/database.ts'
import { shelfOf } from './chapters/shelf.ts'
import type { Criteria, ResourceCriteria } from './criteria.ts'
import { includes } from './includes.ts'
import { LoggedEvent } from './seen-event.ts'
import { type EventRow, type Place, readEventsAt } from './store.ts'
import { isRelated, isSubject, linkWhere, planned } from './where.ts'

const byIds = statement((dialect) => `select * from event where ${dialect.inList('id', '$1', 'uuid')}`)

/** The events that a filter finds, when it names so few that each of them can be looked at; whatever else it asks for. */
export async function fewEvents(db: Db, criteria: Criteria): Promise<EventRow[] | undefined> {
  const rows = criteria.ids ? await db.all<EventRow>(byIds, [db.dialect.list(criteria.ids)]) : await fewLinked(db, criteria)
  return rows?.filter((row) => includes(criteria, new LoggedEvent(row)))
}

/** To read a row and take it apart costs as much as to ask a dozen in their chapter. */
const rowsOfChapter = 1 / 12

async function fewLinked(db: Db, criteria: Criteria): Promise<EventRow[] | undefined> {
  const most = Math.floor(shelfOf(db).size * rowsOfChapter)
  for (const link of linksOf(criteria)) {
    const places = await placesOf(db, criteria, link, most)
    if (places) return readEventsAt(db, places)
  }
  return undefined
}

/** Where the events that a filter finds are, when they are few; more of them when they can be read off the index of resources without a look at any. */
export async function fewPlaces(db: Db, criteria: Criteria): Promise<(Place & { readonly resource_id?: string })[] | undefined> {
  const [link] = linksOf(criteria)
  return link && isOfIndex(criteria, link) ? placesOf(db, criteria, link, shelfOf(db).size) : fewEvents(db, criteria)
}

/** Whether a filter asks for one resource by its id and role, and for nothing else. */
const isOfIndex = ({ ids, names, resource, related, any, search, distinct }: Criteria, { wanted }: Link): boolean =>
  !ids &&
  !names &&
  !search &&
  !distinct &&
  Number(resource !== null) + related.length + any.length === 1 &&
  wanted.labels.length + wanted.prefixes.length === 0

interface Link {
  readonly wanted: ResourceCriteria
  readonly role: Condition[]
}

/** The resources that a filter names by whole ids: only these are a single step into the index. */
function linksOf({ resource, related, any }: Criteria): Link[] {
  return [
    ...(resource ? [{ wanted: resource, role: [isSubject] }] : []),
    ...related.map((wanted) => ({ wanted, role: [isRelated] })),
    ...any.map((wanted) => ({ wanted, role: [] })),
  ].filter(({ wanted }) => wanted.ids.length + wanted.inRoles.length > 0)
}

/** Each place once, though an event may have a resource in several roles; nothing when there are more than so many. */
async function placesOf(db: Db, criteria: Criteria, { wanted, role }: Link, most: number): Promise<Place[] | undefined> {
  const where = all([...role, ...linkWhere(db.dialect, wanted, criteria)])
  const { rows } = await sql<Place>`${planned}
    select event_resource.occurred, event_resource.event_position as position from event_resource where ${where} limit ${most + 1}`.execute(db.kysely)
  if (rows.length > most) return undefined
  return [...new Map(rows.map((place) => [place.position, place])).values()]
}
