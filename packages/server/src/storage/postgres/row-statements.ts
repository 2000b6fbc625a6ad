import type { SqlValue } from '../connection.ts'
import type { InsertRows, UpdateRows } from '../dialect.ts'
import { type ColumnKind, columnsOf, type TableName } from '../tables.ts'
import { arrayParameter } from './array-parameter.ts'

type Values = Readonly<Record<string, string | number | boolean | Uint8Array | null | undefined>>

/** A statement for any number of rows, with one array for each column. */
interface RowsStatement {
  readonly text: string
  readonly values: SqlValue[]
}

/** The insert of rows with the columns of the first one, without those that are null in all rows. */
export function insertStatement({ insert: table, rows, onConflict = '', isRecorded = false }: InsertRows): RowsStatement {
  const all = Object.keys(rows[0] as object)
  const used = all.filter((name) => (rows as readonly Values[]).some((row) => row[name] !== null))
  const from = alias(isRecorded)
  const textOf = (names: readonly string[]): string =>
    `insert into ${table} (${names.join(', ')}) select * from unnest(${arrayParameters(table, names)}) as ${from} ${onConflict}`
  return bind(table, rows, choose({ kind: `insert ${table} ${from} ${onConflict} ${all}`, all, needed: used, textOf }))
}

/** The update of rows by their key, without columns that none of them changes. A row that is not in `stored` changes all. */
export function updateStatement({ update: table, rows, key = 'id', stored, isRecorded = false }: UpdateRows): RowsStatement {
  const all = Object.keys(rows[0] as object).filter((name) => name !== key)
  const before = rows.map((row) => stored?.get((row as Values)[key] as string) as Values | undefined)
  const changed = all.filter((name) => (rows as readonly Values[]).some((row, index) => !before[index] || row[name] !== before[index][name]))
  const from = alias(isRecorded)
  const textOf = (names: readonly string[]): string =>
    [
      `update ${table} set ${names.map((name) => `${name} = ${from}.${name}`).join(', ')}`,
      `from unnest(${arrayParameters(table, [key, ...names])}) as ${from}(${[key, ...names].join(', ')}) where ${table}.${key} = ${from}.${key}`,
    ].join(' ')
  const { names, text } = choose({ kind: `update ${table} ${from} ${key} ${all}`, all, needed: changed, textOf })
  return bind(table, rows, { names: [key, ...names], text })
}

/** Triggers ignore the rows of a statement that names them `recorded`; see migration 026. */
const alias = (isRecorded: boolean): string => (isRecorded ? 'recorded' : 'given')

interface Chosen {
  readonly names: readonly string[]
  readonly text: string
}

/** Every session prepares each text once. Clients must not be able to make many: beyond these, a statement writes all columns. */
const textsMax = 20
const kindsMax = 500
/** The statements for the sets of columns that were needed, by what they write. */
const chosen = new Map<string, Map<string, Chosen>>()

/** The statement for the columns, or for all if none is needed: a row without a change is written whole, so that it counts as updated. */
function choose(options: { kind: string; all: readonly string[]; needed: readonly string[]; textOf(names: readonly string[]): string }): Chosen {
  const { kind, all, needed, textOf } = options
  const ofKind = chosen.get(kind) ?? new Map<string, Chosen>()
  const isFull = needed.length === 0 || (ofKind.size >= textsMax && !ofKind.has(needed.join()))
  const names = isFull ? all : needed
  const known = ofKind.get(names.join())
  if (known) return known
  const statement = { names, text: textOf(names) }
  if (chosen.size < kindsMax) chosen.set(kind, ofKind.set(names.join(), statement))
  return statement
}

const bind = (table: TableName, rows: readonly object[], { names, text }: Chosen): RowsStatement => ({
  text,
  values: names.map((name) =>
    arrayParameter(
      kindOf(table, name),
      (rows as readonly Values[]).map((row) => row[name] ?? null),
    ),
  ),
})

const kindOf = (table: TableName, name: string): ColumnKind => (columnsOf(table)[name] as { kind: ColumnKind }).kind

/** The types of PostgreSQL by kind. */
export const columnTypes: Record<ColumnKind, string> = {
  uuid: 'uuid',
  text: 'text',
  int: 'bigint',
  real: 'double precision',
  bool: 'boolean',
  json: 'json',
  tags: 'jsonb',
  bytes: 'bytea',
}

const arrayParameters = (table: TableName, names: readonly string[]): string =>
  names.map((name, index) => `$${index + 1}::${columnTypes[kindOf(table, name)]}[]`).join(', ')
