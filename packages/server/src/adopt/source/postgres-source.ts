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
  // Enumerations are texts to us.
  text: (column) => `${column}::text`,
  uuid: (column) => `${column}::text`,
  int: (column) => `${column}::bigint`,
}

/** A PostgreSQL database in one transaction, in which the server refuses every write and shows everything as it was at the beginning. */
export async function openPostgresSource(url: string): Promise<Source> {
  const client = new pg.Client({ connectionString: url, types, application_name: 'millrace adopt', connectionTimeoutMillis: 10_000 })
  // The next statement fails with it, and says so.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('begin isolation level repeatable read read only')
  } catch (error) {
    await client.end().catch(() => {})
    throw new SourceError(`The source cannot be reached: ${error instanceof Error ? error.message : error}`)
  }
  let before: Promise<unknown> = Promise.resolve()
  /** One after the other: a page may be asked for while a step asks something of its own. */
  const all = <R>(sql: string, values: readonly SqlValue[] = []): Promise<R[]> => {
    const answer = before.then(async () => (await client.query(sql, values as unknown[])).rows as R[])
    before = answer.catch(() => {})
    return answer
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
