import { existsSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { parseTime, toMicros } from '../../lib/time.ts'
import type { SqlValue } from '../../storage/connection.ts'
import { type Source, SourceError, type SourceKind } from './source.ts'

/** The time format of SQLAlchemy: `2026-11-15 07:48:31.258333`, in UTC. */
const timeTextLength = 26

/**
 * Opens a SQLite file, which a server may be writing to: one transaction from here to the end reads a consistent snapshot. Not `immutable`, because that
 * ignores the write-ahead log.
 */
export function openSqliteSource(file: string): Source {
  if (!existsSync(file)) throw new SourceError(`File ${file} not found.`)
  const database = openReadOnly(file)
  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const cached = statements.get(sql) ?? database.prepare(sql.replaceAll(/\$(\d+)/g, '?$1'))
    statements.set(sql, cached)
    return cached
  }
  const all = async <R>(sql: string, values: readonly SqlValue[] = []): Promise<R[]> => prepared(sql).all(...(values as SQLInputValue[])) as R[]
  return {
    dialect: 'sqlite',
    all,
    async tables() {
      const rows = await all<{ name: string }>("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name")
      return rows.map(({ name }) => name)
    },
    async columnsOf(table) {
      return new Set((await all<{ name: string }>('select name from pragma_table_info($1)', [table])).map(({ name }) => name))
    },
    // Column affinity turns a JSON column with a bare number into a number.
    selectExpression: (kind, column) => (kind === 'json' ? `cast(${column} as text)` : column),
    read,
    order: (table, by) =>
      by === 'occurred'
        ? [
            { column: `${table}.occurred`, type: '' },
            { column: `${table}.id`, type: '' },
          ]
        : // Row ids follow the write order, which is the fastest order to read and to insert.
          [{ column: `${table}.rowid`, type: '' }],
    async close() {
      database.close()
    },
  }
}

function openReadOnly(file: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
    database.exec('pragma query_only = on')
    database.exec('begin')
    database.prepare('select count(*) from sqlite_master').get()
    return database
  } catch (error) {
    database?.close()
    throw new SourceError(`Cannot read ${file} as a SQLite database: ${error instanceof Error ? error.message : error}`)
  }
}

function read(kind: SourceKind, value: unknown): SqlValue {
  if (kind === 'time' || kind === 'span') return toMicrosValue(value)
  if (kind === 'bool') return Boolean(value)
  return value as SqlValue
}

/** A duration is stored as the time that is this long after the start of 1970. */
function toMicrosValue(value: unknown): number {
  const text = String(value)
  if (text.length === timeTextLength && text[10] === ' ') return toMicros(`${text.slice(0, 10)}T${text.slice(11)}Z`)
  // The default of older migrations for durations.
  if (text === '0') return 0
  const time = parseTime(text)
  if (time === undefined) throw new SourceError(`Invalid time in the source: "${text}".`)
  return time
}
