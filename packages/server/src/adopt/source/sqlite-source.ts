import { existsSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { parseTime, toMicros } from '../../lib/time.ts'
import type { SqlValue } from '../../storage/connection.ts'
import { type Source, SourceError, type SourceKind } from './source.ts'

/** SQLAlchemy's spelling of a time: `2026-11-15 07:48:31.258333`, in UTC. */
const timeTextLength = 26

/**
 * A SQLite file, also one that a server is writing to at the moment: the transaction that is open from here to the end sees the file as it
 * was. Not `immutable`: that would pass over what is still in the write-ahead log.
 */
export function openSqliteSource(file: string): Source {
  if (!existsSync(file)) throw new SourceError(`There is no file ${file}`)
  const database = openReadOnly(file)
  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? database.prepare(sql.replaceAll(/\$(\d+)/g, '?$1'))
    statements.set(sql, known)
    return known
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
    // A JSON column that holds a bare number has become a number: its affinity made it one.
    selectExpression: (kind, column) => (kind === 'json' ? `cast(${column} as text)` : column),
    read,
    order: (table, by) =>
      by === 'occurred'
        ? [
            { column: `${table}.occurred`, type: '' },
            { column: `${table}.id`, type: '' },
          ]
        : // In the order in which rows were written they also lie on disk, in the source and then here.
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
    throw new SourceError(`${file} cannot be read as a SQLite database: ${error instanceof Error ? error.message : error}`)
  }
}

function read(kind: SourceKind, value: unknown): SqlValue {
  if (kind === 'time' || kind === 'span') return toMicrosValue(value)
  if (kind === 'bool') return Boolean(value)
  return value as SqlValue
}

/** A span of time is kept as the time that lies so long after the beginning of 1970. */
function toMicrosValue(value: unknown): number {
  const text = String(value)
  if (text.length === timeTextLength && text[10] === ' ') return toMicros(`${text.slice(0, 10)}T${text.slice(11)}Z`)
  // The default that older migrations gave to spans.
  if (text === '0') return 0
  const time = parseTime(text)
  if (time === undefined) throw new SourceError(`"${text}" in the source is no time`)
  return time
}
