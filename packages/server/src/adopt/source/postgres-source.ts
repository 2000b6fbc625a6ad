import pg from 'pg'
import type { SqlValue } from '../../storage/connection.ts'
import { type Source, SourceError, type SourceKind } from './source.ts'

const int8 = 20

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text')),
}

const micros = (column: string): string => `round(extract(epoch from ${column}) * 1000000)::bigint`

const expressions: Partial<Record<SourceKind, (column: string) => string>> = {
  time: micros,
  span: micros,
  json: (column) => `${column}::text`,
  // Enums are read as text.
  text: (column) => `${column}::text`,
  uuid: (column) => `${column}::text`,
  int: (column) => `${column}::bigint`,
}

/** Opens a PostgreSQL database in one read-only transaction with a consistent snapshot. */
export async function openPostgresSource(url: string): Promise<Source> {
  const client = new pg.Client({ connectionString: url, types, application_name: 'millrace adopt', connectionTimeoutMillis: 10_000 })
  // The next statement fails and reports the error.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('begin isolation level repeatable read read only')
  } catch (error) {
    await client.end().catch(() => {})
    throw new SourceError(`Cannot connect to the source: ${error instanceof Error ? error.message : error}`)
  }
  let previous: Promise<unknown> = Promise.resolve()
  /** Runs queries one at a time: the next page is read while a step runs its own queries. */
  const all = <R>(sql: string, values: readonly SqlValue[] = []): Promise<R[]> => {
    const result = previous.then(async () => (await client.query(sql, values as unknown[])).rows as R[])
    previous = result.catch(() => {})
    return result
  }
  return {
    dialect: 'postgres',
    all,
    async tables() {
      const rows = await all<{ name: string }>(
        "select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1",
      )
      return rows.map(({ name }) => name)
    },
    async columnsOf(table) {
      const rows = await all<{ name: string }>(
        'select column_name as name from information_schema.columns where table_schema = current_schema() and table_name = $1',
        [table],
      )
      return new Set(rows.map(({ name }) => name))
    },
    selectExpression: (kind, column) => expressions[kind]?.(column) ?? column,
    read: (_kind, value) => value as SqlValue,
    order: (table, by) => [
      ...(by === 'occurred' ? [{ column: `${table}.occurred`, type: '::timestamptz' }] : []),
      { column: `${table}.id`, type: '::uuid' },
    ],
    async close() {
      await client.query('rollback').catch(() => {})
      await client.end()
    },
  }
}
