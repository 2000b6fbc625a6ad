import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import pg from 'pg'

/** Enlarges a database of the reference server: copies one run with all its rows until there are `count` runs. */
export async function enlargeSource(url: string, runs: number): Promise<void> {
  const source = url.startsWith('postgres') ? await openPostgres(url) : openSqlite(url)
  const [run] = await source.rows(
    'flow_run',
    "idempotency_key is null and state_name = 'Completed' and deployment_id is not null order by created limit 1",
  )
  if (run === undefined) throw new Error('the source has no run to copy')
  const { id } = JSON.parse(run) as { id: string }
  const parts: [table: string, rows: string[]][] = [['flow_run', [run]]]
  const ofTasks = `task_run_id in (select id from task_run where flow_run_id = '${id}')`
  for (const [table, where] of [
    ['flow_run_state', `flow_run_id = '${id}'`],
    ['task_run', `flow_run_id = '${id}'`],
    ['task_run_state', ofTasks],
    ['log', `flow_run_id = '${id}'`],
    ['events', `resource_id = 'prefect.flow-run.${id}' order by occurred limit 4`],
  ] as const)
    parts.push([table, await source.rows(table, where)])
  const ids = parts.flatMap(([, rows]) => rows.map((row) => (JSON.parse(row) as { id: string }).id))
  const known = new RegExp(ids.join('|'), 'g')
  const present = await source.count('flow_run')
  for (let first = 0; first < runs - present; first += copiesPerBatch) {
    const numbers = Array.from({ length: Math.min(copiesPerBatch, runs - present - first) }, (_, index) => first + index)
    for (const [table, rows] of parts)
      await source.insert(
        table,
        numbers.flatMap((number) => rows.map((row) => row.replaceAll(known, (found) => copyId(found, number)))),
      )
  }
  await source.close()
}

const copiesPerBatch = 200

/** A new id for each copy, the same in all tables that refer to it. */
const copyId = (id: string, number: number): string => `${number.toString(16).padStart(8, '0')}-${id.slice(9)}`

/** Rows are passed as JSON. */
interface GrowableSource {
  rows(table: string, where: string): Promise<string[]>
  insert(table: string, rows: readonly string[]): Promise<void>
  count(table: string): Promise<number>
  close(): Promise<void>
}

function openSqlite(file: string): GrowableSource {
  // Runs and states refer to each other.
  const database = new DatabaseSync(file, { timeout: 20_000, enableForeignKeyConstraints: false })
  return {
    rows: async (table, where) =>
      database
        .prepare(`select * from ${table} where ${where}`)
        .all()
        .map((row) => JSON.stringify(row)),
    async insert(table, rows) {
      if (rows.length === 0) return
      const names = Object.keys(JSON.parse(rows[0] as string) as object)
      const insert = database.prepare(
        `insert into ${table} (${names.map((name) => `"${name}"`).join(', ')}) values (${names.map(() => '?').join(', ')})`,
      )
      database.exec('begin')
      for (const row of rows) insert.run(...(Object.values(JSON.parse(row) as object) as SQLInputValue[]))
      database.exec('commit')
    },
    count: async (table) => Number((database.prepare(`select count(*) as count from ${table}`).get() as { count: number }).count),
    close: async () => database.close(),
  }
}

async function openPostgres(url: string): Promise<GrowableSource> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('set session_replication_role = replica')
  return {
    async rows(table, where) {
      const { rows } = await client.query(`select row_to_json(found)::text as row from (select * from ${table} where ${where}) found`)
      return rows.map(({ row }) => row as string)
    },
    async insert(table, rows) {
      await client.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`, [`[${rows.join(',')}]`])
    },
    count: async (table) => Number((await client.query(`select count(*) as count from ${table}`)).rows[0].count),
    close: () => client.end(),
  }
}
