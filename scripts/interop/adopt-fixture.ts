/**
 * Writes the source database of the adopt tests from one that the reference server filled while interop/adopt/fill_server.py ran:
 *   node scripts/interop/adopt-fixture.ts prefect.db FOLDER    (FOLDER held the programs; paths and host names of the machine are replaced)
 * Left out: the block types that come with the server, and tables that are derived from other tables.
 */
import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

const [file, folder] = process.argv.slice(2)
if (!file || !folder) throw new Error('node scripts/interop/adopt-fixture.ts prefect.db FOLDER')
const target = fileURLToPath(new URL('../../packages/server/test/adopt/source.sql', import.meta.url))

const usedTypes = `block_type_id in (select block_type_id from block_document)`
const usedSchemas = `block_schema_id in (select block_schema_id from block_document)`
const rowFilters: Readonly<Record<string, string>> = {
  block_type: usedTypes.replace('block_type_id in', 'id in'),
  block_schema: usedSchemas.replace('block_schema_id in', 'id in'),
  block_schema_reference: 'parent_block_schema_id in (select block_schema_id from block_document)',
  event_resources: 'false',
  // The largest table, with many equal rows.
  events: "event like 'example.%' or (event not like 'prefect.task-run.%' and rowid % 2 = 0)",
}

/** Texts that no test reads. */
const blankedColumns = new Set(['block_type.description', 'block_type.code_example', 'block_type.logo_url', 'block_type.documentation_url'])

const database = new DatabaseSync(file, { readOnly: true })
const lines = ['-- Made by scripts/interop/adopt-fixture.ts from a database of the real server.', 'begin;']
const tables = database.prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name").all()
for (const { name: table } of tables as { name: string }[]) {
  const columns = database.prepare(`select name, type from pragma_table_info('${table}')`).all() as { name: string; type: string }[]
  lines.push(`create table ${table} (${columns.map(({ name, type }) => `"${name}" ${type}`).join(', ')});`)
  const rows = database.prepare(`select * from ${table} where ${rowFilters[table] ?? 'true'} order by rowid`).all() as Record<string, unknown>[]
  for (const row of rows) lines.push(`insert into ${table} values (${columns.map(({ name }) => literal(`${table}.${name}`, row[name])).join(', ')});`)
}
writeFileSync(target, `${[...lines, 'commit;'].join('\n')}\n`)
console.log(`${target}: ${lines.join('\n').length} characters`)

function literal(column: string, value: unknown): string {
  if (value === null || blankedColumns.has(column)) return 'null'
  if (typeof value === 'number') return String(value)
  const text = String(column === 'block_schema.fields' ? withoutDescriptions(String(value)) : value)
  const impersonal = text
    .replaceAll(folder as string, '/srv/example')
    .replaceAll(/\/[\w./-]+\/site-packages/g, '/usr/lib/site-packages')
    .replaceAll(hostname(), 'host')
  return `'${impersonal.replaceAll("'", "''")}'`
}

/** Source code and documentation of the reference. */
function withoutDescriptions(fields: string): string {
  return JSON.stringify(JSON.parse(fields, (key, value) => (key === 'description' && typeof value === 'string' ? undefined : value)))
}
