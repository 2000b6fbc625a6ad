import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../src/storage/migrate.ts'
import { planMigrations } from '../src/storage/migration-plan.ts'
import type { Pool } from '../src/storage/pool.ts'
import { openSqlite } from '../src/storage/sqlite/connect.ts'
import { sqlite } from '../src/storage/sqlite/dialect.ts'
import type { TableName } from '../src/storage/tables.ts'
import { migratedSqlite } from './databases.ts'
import { fillDatabase } from './fill-database.ts'
import { testClock } from './setup.ts'

const name = '026_tags_without_row_ids'
const runs = 500
const down = readFileSync(join(import.meta.dirname, `../src/storage/sqlite/migrations/${name}.down.sql`), 'utf8')

async function openFilled(): Promise<{ pool: Pool; all: (text: string) => Promise<object[]> }> {
  const { url, drop } = await migratedSqlite()
  const pool = openSqlite(url)
  onTestFinished(async () => {
    await pool.close()
    await drop()
  })
  await fillDatabase(pool, { runs, taskRuns: 0, logs: 0, now: testClock().now() })
  return { pool, all: (text) => pool.reads.all(text, []) }
}

const tags = 'select flow_run_id, tag, started, expected from flow_run_tag order by 1, 2'
const objects = "select type, name, sql from sqlite_master where tbl_name = 'flow_run_tag' or name like 'flow_run_tag%' order by 1, 2"
const hasRowIds = "select not wr as answer from pragma_table_list where name = 'flow_run_tag'"

test('the migration of tags and its way back keep all rows, triggers and the foreign key', async () => {
  const { pool, all } = await openFilled()
  const script = (text: string) => pool.withMaintenance((connection) => connection.script(text))
  const [rows, schema] = [await all(tags), await all(objects)]
  expect(rows).toHaveLength(2 * runs)

  await script(`begin; ${down}; delete from millrace_migration where number = 26; commit`)
  expect(await all(hasRowIds)).toEqual([{ answer: 1 }])
  expect(await all(tags)).toEqual(rows)
  const [plan] = await planMigrations(pool.dialect, pool.reads)
  expect(plan?.statements.filter(({ seconds }) => seconds > 0).map(({ statement, table, rows }) => [statement.slice(0, 33), table, rows])).toEqual([
    ['insert into flow_run_tag_new (tag', 'flow_run_tag', 2 * runs],
    ['create index flow_run_tag_by_star', 'flow_run_tag', 2 * runs],
    ['create index flow_run_tag_by_expe', 'flow_run_tag', 2 * runs],
  ])

  // A program without foreign keys has deleted its run.
  await script(`pragma foreign_keys = off; insert into flow_run_tag values ('lost', 1, 1, 'missing'); pragma foreign_keys = on`)
  expect(await migrate(pool, testClock())).toEqual([name])
  expect([await all(hasRowIds), await all(tags), await all(objects)]).toEqual([[{ answer: 0 }], rows, schema])
  expect(await all('pragma foreign_key_check')).toEqual([])
  expect(await all('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
  const [run] = (await all('select id from flow_run limit 1')) as { id: string }[]
  const ofRun = `select tag, started, expected from flow_run_tag where flow_run_id = '${run?.id}' order by tag`
  await script(`update flow_run set tags = '["b","a","b"]', start_time = 7, expected_start_time = 5 where id = '${run?.id}'`)
  expect(await all(ofRun)).toEqual([
    { tag: 'a', started: 7, expected: 5 },
    { tag: 'b', started: 7, expected: 5 },
  ])
  await script(`delete from flow_run where id = '${run?.id}'`)
  expect(await all(ofRun)).toEqual([])
})

test('the rows of tables without row ids are counted', async () => {
  const { all } = await openFilled()
  const tables = (await all("select name from pragma_table_list where wr = 1 and name not like 'run_name_index%'")) as { name: TableName }[]
  expect(tables.map((table) => table.name)).toContain('flow_run_tag')
  const sizes = new Map(((await all(sqlite.tableSizes)) as { name: string; rows: number }[]).map((size) => [size.name, size.rows]))
  for (const table of tables) {
    const [row] = (await all(`select count(*) as rows from ${table.name}`)) as { rows: number }[]
    expect(await all(sqlite.tableStats(table.name))).toEqual([{ rows: row?.rows, bytes: null }])
    expect([table.name, sizes.get(table.name)]).toEqual([table.name, row?.rows])
  }
})
