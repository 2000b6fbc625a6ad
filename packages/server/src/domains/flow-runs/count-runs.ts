import { sql } from 'kysely'
import type { Db } from '../../storage/database.ts'
import { flowRunsWhere, type RelatedFilters } from '../relations.ts'
import { flowRunWhere } from './filter.ts'
import { firstIds } from './list-runs.ts'
import { searchedMax, searchIn } from './searched-runs.ts'

export async function countFlowRuns(db: Db, filters: RelatedFilters): Promise<number> {
  const search = searchIn(filters)
  const found = search
    ? sql`(${await firstIds(db, search.within, { sort: 'EXPECTED_START_TIME_DESC', limit: searchedMax, offset: 0 })}) searched
        join flow_run on flow_run.id = searched.id where ${flowRunWhere(db.dialect, { operator: 'and_', ...search.sought })}`
    : sql`flow_run where ${flowRunsWhere(db.dialect, filters)}`
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${found}`.execute(db.kysely)
  return rows[0]?.count ?? 0
}
