import type { SqlValue } from '@millrace/server/storage/connection.ts'
import type { Dialect, InsertRows, NewEvent, UpdateRows } from '@millrace/server/storage/dialect.ts'
import { postgres } from '@millrace/server/storage/postgres/dialect.ts'
import { sqlite } from '@millrace/server/storage/sqlite/dialect.ts'

/** A statement with this text reads the clock of the database. */
export const clockStatement = 'select clock'

/** A statement that begins with this text is run once per row. Its values are those of all rows. */
const eachRow = /^each (\d+) (.*)$/s

/** A statement with this text appends events; its value is their JSON. */
export const appendStatement = 'append events'

/** The SQL text is that of SQLite. Everything that concerns several servers is as on PostgreSQL: errors, writes that go with the commit, the clock, notifications. */
export const clusterDialect: Dialect = {
  ...sqlite,
  isShared: true,
  clockQuery: clockStatement,
  isTransient: postgres.isTransient,
  isTimeout: postgres.isTimeout,
  unavailability: postgres.unavailability,
  isUnavailable: postgres.isUnavailable,
  provesRollback: postgres.provesRollback,
  insertRows: (connection, insert) => connection.run(...insertStatement(insert)),
  updateRows: (connection, update) => connection.run(...updateStatement(update)),
  async write(connection, writes) {
    for (const write of writes) {
      if ('insert' in write) await connection.runLater(...insertStatement(write))
      else if ('update' in write) await connection.runLater(...updateStatement(write))
      else await connection.runLater(write.run, write.values)
    }
  },
  appendEvents: (connection, events) => connection.runInLogOrder(appendStatement, [JSON.stringify(events)]),
}

function insertStatement({ insert, rows, onConflict = '' }: InsertRows): [text: string, values: SqlValue[]] {
  const names = Object.keys(rows[0] as object)
  const text = `insert into ${insert} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) ${onConflict}`
  return [`each ${rows.length} ${text}`, valuesOf(rows, names)]
}

function updateStatement({ update, rows, key = 'id' }: UpdateRows): [text: string, values: SqlValue[]] {
  const names = Object.keys(rows[0] as object).filter((name) => name !== key)
  const text = `update ${update} set ${names.map((name) => `${name} = ?`).join(', ')} where ${key} = ?`
  return [`each ${rows.length} ${text}`, valuesOf(rows, [...names, key])]
}

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
