import { sql } from 'kysely'
import { all, type Condition } from '../storage/criteria.ts'
import type { Db } from '../storage/database.ts'
import type { Criteria, ResourceCriteria } from './criteria.ts'
import { isRelated, isSubject, linkWhere, planned } from './where.ts'

/** So many events are looked at one by one without a thought. */
const few = 5000

/**
 * The positions of the events that the narrowest of a filter's resources leaves, when those are few: then only these have to be looked at,
 * however long the log is. Nothing when the filter names no ids, or when all that it names are in many events.
 */
export async function fewestLinks(db: Db, criteria: Criteria): Promise<readonly number[] | undefined> {
  let fewest: readonly number[] | undefined
  for (const { wanted, role } of linksOf(criteria)) {
    if (wanted.ids.length + wanted.prefixes.length + wanted.inRoles.length === 0) continue
    const where = all([...role, ...linkWhere(db.dialect, wanted, criteria)])
    const { rows } = await sql<{ position: number }>`${planned}
      select event_resource.event_position as position from event_resource where ${where} limit ${few + 1}`.execute(db.kysely)
    if (rows.length > few || (fewest && fewest.length <= rows.length)) continue
    fewest = rows.map(({ position }) => position)
  }
  return fewest && [...new Set(fewest)]
}

function linksOf({ resource, related, any }: Criteria): { wanted: ResourceCriteria; role: Condition[] }[] {
  return [
    ...(resource ? [{ wanted: resource, role: [isSubject] }] : []),
    ...related.map((wanted) => ({ wanted, role: [isRelated] })),
    ...any.map((wanted) => ({ wanted, role: [] })),
  ]
}
