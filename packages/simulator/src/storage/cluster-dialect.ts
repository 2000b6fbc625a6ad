import type { SqlValue } from '@millrace/server/storage/connection.ts'
import type { Dialect, NewEvent } from '@millrace/server/storage/dialect.ts'
import { postgres } from '@millrace/server/storage/postgres/dialect.ts'
import { sqlite } from '@millrace/server/storage/sqlite/dialect.ts'

/** A statement with this text reads the clock of the database. */
export const clockStatement = 'select clock'

/** A statement that begins with this text is run once per row. Its values are those of all rows. */
const eachRow = /^each (\d+) (.*)$/s

/** A statement with this text appends events; its value is their JSON. */
export const appendStatement = 'append events'

/** The SQL text is that of SQLite. Everything that concerns several servers is as on PostgreSQL: errors, deferred writes, the clock, notifications. */
export const clusterDialect = (usesSavepoints: boolean): Dialect => ({
  ...sqlite,
  usesSavepoints,
  isShared: true,
  clockQuery: clockStatement,
  isTransient: postgres.isTransient,
  isTimeout: postgres.isTimeout,
  unavailability: postgres.unavailability,
  isUnavailable: postgres.isUnavailable,
  provesRollback: postgres.provesRollback,
  insertMany(connection, table, rows, { onConflict = '' } = {}) {
    const names = Object.keys(rows[0] as object)
    const text = `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) ${onConflict}`
    return connection.run(`each ${rows.length} ${text}`, valuesOf(rows, names))
  },
  updateMany(connection, table, rows, { key = 'id' } = {}) {
    const names = Object.keys(rows[0] as object).filter((name) => name !== key)
    const text = `update ${table} set ${names.map((name) => `${name} = ?`).join(', ')} where ${key} = ?`
    return connection.run(`each ${rows.length} ${text}`, valuesOf(rows, [...names, key]))
  },
  appendEvents: (connection, events) => connection.runInLogOrder(appendStatement, [JSON.stringify(events)]),
})

const valuesOf = (rows: readonly object[], names: readonly string[]): SqlValue[] =>
  rows.flatMap((row) => names.map((name) => (row as Record<string, SqlValue>)[name] as SqlValue))

/** Splits a statement that is run once per row. Undefined for any other statement. */
export function splitRows(text: string, values: readonly SqlValue[]): { text: string; rows: SqlValue[][] } | undefined {
  const match = eachRow.exec(text)
  if (!match) return undefined
  const count = Number(match[1])
  const width = values.length / count
  return { text: match[2] as string, rows: Array.from({ length: count }, (_, n) => values.slice(n * width, (n + 1) * width)) }
}

export const parseEvents = (values: readonly SqlValue[]): readonly NewEvent[] => JSON.parse(values[0] as string) as NewEvent[]
