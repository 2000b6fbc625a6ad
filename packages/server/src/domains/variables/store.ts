import type { Variable, VariableFilter, VariableSort } from '@millrace/contracts/variable.ts'
import { sql } from 'kysely'
import { rawJson } from '../../lib/json.ts'
import { formatTime } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'
import { variableOrder, variableWhere } from './filter.ts'

export type VariableRow = Row<'variable'>

export type VariableKey = { readonly id: string } | { readonly name: string }

export const toVariableResponse = (row: VariableRow): Variable => ({
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
  name: row.name,
  value: rawJson(row.value),
  tags: rawJson(row.tags),
})

const byId = statement('select * from variable where id = $1')
const byName = statement('select * from variable where name = $1')
const lockById = statement((dialect) => `select * from variable where id = $1 ${dialect.forUpdate}`)
const lockByName = statement((dialect) => `select * from variable where name = $1 ${dialect.forUpdate}`)
const namesAndValues = statement('select name, value from variable')
const remove = statement('delete from variable where id = $1')

export const readVariable = (db: Db, key: VariableKey): Promise<VariableRow | undefined> =>
  'id' in key ? db.first<VariableRow>(byId, [key.id]) : db.first<VariableRow>(byName, [key.name])

/** All values by name, as JSON text. */
export async function readAllVariables(db: Db): Promise<Map<string, string>> {
  const rows = await db.all<{ name: string; value: string }>(namesAndValues)
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** Locks until the commit, so that concurrent updates of different fields do not overwrite each other. */
export const lockVariable = (tx: Tx, key: VariableKey): Promise<VariableRow | undefined> =>
  'id' in key ? tx.first<VariableRow>(lockById, [key.id]) : tx.first<VariableRow>(lockByName, [key.name])

/** Returns false if another variable has the name. */
export const insertVariable = async (tx: Tx, row: VariableRow): Promise<boolean> =>
  (await tx.insert('variable', [row], { onConflict: 'on conflict (name) do nothing' })) > 0

export const updateVariable = (tx: Tx, row: VariableRow): Promise<number> => tx.update('variable', [row])
export const deleteVariable = (tx: Tx, id: string): Promise<number> => tx.run(remove, [id])

export function listVariables(
  db: Db,
  filter: VariableFilter | null,
  options: { sort: VariableSort; limit: number; offset: number },
): Promise<VariableRow[]> {
  return sql<VariableRow>`select variable.* from variable where ${variableWhere(db.dialect, filter)} order by ${variableOrder[options.sort]} limit ${options.limit} offset ${options.offset}`
    .execute(db.kysely)
    .then(({ rows }) => rows)
}

export async function countVariables(db: Db, filter: VariableFilter | null): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from variable where ${variableWhere(db.dialect, filter)}`.execute(db.kysely)
  return rows[0]?.count ?? 0
}
