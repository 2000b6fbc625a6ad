import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { emptyPostgres, newFolder, type TestDatabase } from '../databases.ts'

const sourceSql = readFileSync(new URL('source.sql', import.meta.url), 'utf8')

/** A database file of the reference server, in WAL mode. `change` is SQL that modifies it. */
export function createSqliteSource(change = ''): string {
  const file = join(newFolder('source'), 'prefect.db')
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = wal')
  database.exec(sourceSql)
  database.exec(change)
  database.close()
  return file
}

/** The PostgreSQL type of a column. */
function postgresType(column: string, type: string): string {
  if (column === 'total_run_time') return 'interval'
  if (/^CHAR\(36\)$/i.test(type)) return 'uuid'
  if (/DATETIME|TIMESTAMP/i.test(type)) return 'timestamptz'
  if (/JSON/i.test(type)) return 'jsonb'
  if (/BOOL/i.test(type)) return 'boolean'
  if (/INT/i.test(type)) return 'integer'
  if (/FLOAT|REAL/i.test(type)) return 'double precision'
  return 'text'
}

/** The same rows in a PostgreSQL database. */
export async function createPostgresSource(): Promise<TestDatabase> {
  const { url, drop } = await emptyPostgres()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const database = new DatabaseSync(createSqliteSource(), { readOnly: true })
  // Times of the file are in UTC; the server has another zone.
  await client.query("set timezone = 'UTC'")
  for (const { name: table } of database.prepare("select name from sqlite_master where type = 'table' order by name").all() as { name: string }[]) {
    const columns = database.prepare(`select name, type from pragma_table_info('${table}')`).all() as { name: string; type: string }[]
    await client.query(`create table ${table} (${columns.map((column) => `"${column.name}" ${postgresType(column.name, column.type)}`).join(', ')})`)
    for (const row of database.prepare(`select * from ${table}`).all() as Record<string, unknown>[]) {
      const values = columns.map((column) => toPostgresValue(postgresType(column.name, column.type), row[column.name]))
      await client.query(`insert into ${table} values (${values.map((_, index) => `$${index + 1}`).join(', ')})`, values)
    }
  }
  database.close()
  await client.end()
  return { url, drop }
}

function toPostgresValue(type: string, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (type === 'boolean') return Boolean(value)
  if (type === 'interval') return String(value).slice('1970-01-01 '.length)
  return String(value)
}
