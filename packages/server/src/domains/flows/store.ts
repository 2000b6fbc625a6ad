import type { Flow, FlowSort } from '@millrace/contracts/flow.ts'
import type { FlowFilter } from '@millrace/contracts/flow-filter.ts'
import { sql } from 'kysely'
import { rawJson } from '../../lib/json.ts'
import { formatTime } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { columnList, type Row } from '../../storage/tables.ts'
import { flowsWhere, type RelatedFilters } from '../relations.ts'
import { flowOrder } from './filter.ts'

export type FlowRow = Row<'flow'>

export const toFlowResponse = (row: FlowRow): Flow => ({
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
  name: row.name,
  tags: rawJson(row.tags),
  labels: rawJson(row.labels),
})

const byId = statement(`select ${columnList('flow')} from flow where id = $1`)
const byName = statement(`select ${columnList('flow')} from flow where name = $1`)
const byIds = statement((dialect) => `select ${columnList('flow')} from flow where ${dialect.inList('id', '$1', 'uuid')}`)
const remove = statement((dialect) => `delete from flow where ${dialect.inList('id', '$1', 'uuid')}`)

export const readFlow = (db: Db, id: string): Promise<FlowRow | undefined> => db.first<FlowRow>(byId, [id])
export const readFlowByName = (db: Db, name: string): Promise<FlowRow | undefined> => db.first<FlowRow>(byName, [name])
export const readFlows = (db: Db, ids: readonly string[]): Promise<FlowRow[]> => db.all<FlowRow>(byIds, [db.dialect.list(ids)])

/** Returns false if a flow with the name exists. */
export const insertFlow = async (tx: Tx, row: FlowRow): Promise<boolean> =>
  (await tx.insert('flow', [row], { onConflict: 'on conflict (name) do nothing' })) > 0

export const updateFlow = (tx: Tx, row: Partial<FlowRow>): Promise<number> => tx.update('flow', [row])
export const deleteFlows = (tx: Tx, ids: readonly string[]): Promise<number> => tx.run(remove, [tx.dialect.list(ids)])

export function listFlows(db: Db, filters: RelatedFilters, options: { sort: FlowSort; limit: number; offset: number }): Promise<FlowRow[]> {
  return sql<FlowRow>`select flow.* from flow where ${flowsWhere(db.dialect, filters)} order by ${flowOrder[options.sort]} limit ${options.limit} offset ${options.offset}`
    .execute(db.kysely)
    .then(({ rows }) => rows)
}

export async function countFlows(db: Db, filters: RelatedFilters): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from flow where ${flowsWhere(db.dialect, filters)}`.execute(db.kysely)
  return rows[0]?.count ?? 0
}

export async function listFlowIds(db: Db, filter: FlowFilter | null, limit: number): Promise<string[]> {
  return (await listFlows(db, { flows: filter }, { sort: 'NAME_ASC', limit, offset: 0 })).map(({ id }) => id)
}
