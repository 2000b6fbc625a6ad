import { type RawBuilder, sql } from 'kysely'
import { all } from '../storage/criteria.ts'
import type { Db } from '../storage/database.ts'
import { col } from '../storage/dialect.ts'
import type { Criteria } from './criteria.ts'
import type { Place } from './store.ts'
import { eventWhere, planned, type Range } from './where.ts'

export interface Wanted {
  readonly limit: number
  /** The last event of the page before. */
  readonly after?: Place
  /** Known from the page before: then nothing is counted again. */
  readonly total?: number
}

export interface Found {
  readonly places: readonly Place[]
  readonly total: number
}

export interface Walk {
  /** Oldest first. */
  readonly slices: readonly Range[]
  /** Only events at these positions. */
  readonly among?: readonly number[]
}

/** Looks at events one by one, slice by slice in the order of the list, and stops as soon as nothing more is wanted. */
export async function scanEvents(db: Db, criteria: Criteria, wanted: Wanted, walk: Walk): Promise<Found> {
  const places: Place[] = []
  const seen = new Set<string>()
  let total = 0
  for (const slice of criteria.order === 'DESC' ? walk.slices.toReversed() : walk.slices) {
    const full = places.length >= wanted.limit
    if (full && wanted.total !== undefined) break
    if (full && !criteria.distinct) {
      const { rows } = await sql<{
        count: number
      }>`${planned} select count(*) as count from event where ${walkWhere(db, criteria, slice, walk)}`.execute(db.kysely)
      total += Number(rows[0]?.count ?? 0)
    } else {
      for (const { resource_id, ...place } of await readPlaces(db, criteria, slice, walk)) {
        if (criteria.distinct && seen.has(resource_id)) continue
        if (criteria.distinct) seen.add(resource_id)
        total += 1
        if (places.length < wanted.limit && comesAfter(criteria, place, wanted.after)) places.push(place)
      }
    }
    if (walk.slices.length > 1) await othersFirst()
  }
  return { places, total: wanted.total ?? total }
}

export const walkWhere = (db: Db, criteria: Criteria, slice: Range, { among }: Walk) =>
  all([eventWhere(db.dialect, criteria, slice), ...(among ? [db.dialect.isIn(col('event.position'), among, 'int')] : [])])

/** On SQLite a query waits for nothing, and nobody else comes to the turn unless we let them. */
export const othersFirst = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function readPlaces(db: Db, criteria: Criteria, slice: Range, walk: Walk): Promise<(Place & { resource_id: string })[]> {
  const order = inOrder(criteria, sql`event.occurred`, sql`event.position`)
  const { rows } = await sql<Place & { resource_id: string }>`${planned}
    select event.occurred, event.position, event.resource_id from event where ${walkWhere(db, criteria, slice, walk)} ${order}`.execute(db.kysely)
  return rows
}

export const inOrder = ({ order }: Criteria, occurred: RawBuilder<unknown>, position: RawBuilder<unknown>): RawBuilder<unknown> =>
  order === 'DESC' ? sql`order by ${occurred} desc, ${position} desc` : sql`order by ${occurred}, ${position}`

function comesAfter({ order }: Criteria, place: Place, after: Place | undefined): boolean {
  if (!after) return true
  const later = place.occurred - after.occurred || place.position - after.position
  return order === 'DESC' ? later < 0 : later > 0
}
