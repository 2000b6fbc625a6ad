import { sql } from 'kysely'
import { MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import { flowRunsWhere, type RelatedFilters } from '../relations.ts'
import { latenessAt } from '../run-history.ts'

/** Seconds; a run that is not due counts as punctual. Null when there are no runs. */
export async function averageLateness(db: Db, filters: RelatedFilters, now: Micros): Promise<number | null> {
  const query = sql<{ lateness: number | null }>`select avg(${latenessAt(now)}) as lateness from flow_run where ${flowRunsWhere(db.dialect, filters)}`
  const lateness = (await query.execute(db.kysely)).rows[0]?.lateness ?? null
  return lateness === null ? null : lateness / MICROS_PER_SECOND
}
