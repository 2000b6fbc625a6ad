import type { SqlValue } from '../connection.ts'
import type { StoredRows } from '../dialect.ts'
import type { TableName } from '../tables.ts'

type Values = Readonly<Record<string, SqlValue>>

/** A statement that is run once for each row. */
export interface RowStatement {
  readonly text: string
  /** The values of a row in the order of the statement. */
  readonly bind: (row: object) => SqlValue[]
}

/** The insert of rows with the columns of the first one. */
export function insertStatement(table: TableName, row: object, onConflict: string): RowStatement {
  const names = Object.keys(row)
  return { text: `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) ${onConflict}`, bind: bindTo(names) }
}

/**
 * The rows of an update by their statement, which assigns the columns that differ from the stored row, or all without one. SQLite rewrites an entry of each index
 * with an assigned column, and evaluates the triggers of each, even if the value is the same: of a run that completes this would be five of nine indexes.
 */
export function updateStatements(table: TableName, rows: readonly object[], key: string, stored?: StoredRows): Map<RowStatement, object[]> {
  const names = Object.keys(rows[0] as object).filter((name) => name !== key)
  const groups = new Map<string, { readonly statement: RowStatement; readonly rows: object[] }>()
  for (const row of rows as readonly Values[]) {
    const present = stored?.get(row[key] as string) as Values | undefined
    const changed = present ? names.filter((name) => row[name] !== present[name]) : names
    // A row without a change is written whole, so that it counts as updated.
    const assigned = changed.length > 0 ? changed : names
    const group = groups.get(assigned.join()) ?? { statement: updateOf(table, assigned, key), rows: [] }
    groups.set(assigned.join(), group)
    group.rows.push(row)
  }
  return new Map([...groups.values()].map(({ statement, rows }) => [statement, rows]))
}

/**
 * Because of the triggers a plain update would keep a statement journal, to undo itself alone if it fails. It changes one row and checks the constraints first,
 * and a transaction whose command fails is rolled back anyway. Without the journal, which copies each changed page, a flow run takes half the time.
 */
const updateOf = (table: TableName, names: readonly string[], key: string): RowStatement => ({
  text: `update or fail ${table} set ${names.map((name) => `${name} = ?`).join(', ')} where ${key} = ?`,
  bind: bindTo([...names, key]),
})

const bindTo =
  (names: readonly string[]): RowStatement['bind'] =>
  (row) =>
    names.map((name) => (row as Values)[name] as SqlValue)
