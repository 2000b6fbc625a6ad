import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, assembleApp } from '../src/assemble-app.ts'
import { readConfig } from '../src/config.ts'
import { readEventsAfter, readHead } from '../src/events/cursor.ts'
import { LogTail } from '../src/events/segments/log-tail.ts'
import { readRevision } from '../src/events/segments/segment-store.ts'
import { formatTime, toMicros } from '../src/lib/time.ts'
import { readTaskRunsByKey } from '../src/runs/task-run-rows.ts'
import type { Connection } from '../src/storage/connection.ts'
import type { Pool } from '../src/storage/pool.ts'
import { openPostgres } from '../src/storage/postgres/connect.ts'
import { openSqlite } from '../src/storage/sqlite/connect.ts'
import { migratedPostgres, migratedSqlite } from './databases.ts'
import { fillDatabase } from './fill-database.ts'
import { isFullProof, proofSize } from './proof-size.ts'
import { countPostgresReads, type FindScans, findPostgresScans, findSqliteScans, recordStatements, type SentStatement } from './query-plans.ts'
import { type ReadFixtures, type ReadOperation, readOperations } from './read-operations.ts'
import { testClock } from './setup.ts'

const now = toMicros('2030-01-01T00:00:00Z')
const sizes = { runs: proofSize(26_000, 100_000), taskRuns: proofSize(40_000, 200_000), logs: proofSize(40_000, 200_000) }

/** Reads that may grow with the tables. */
const exceptions: readonly { readonly operation: RegExp; readonly reason: string; readonly dependsOnStatistics?: true }[] = [
  {
    operation: /^count of task runs by flow run state$|^task runs by flow run state by state$/,
    reason: 'an exact count of a tenth of all rows, for which PostgreSQL may choose a merge join',
    dependsOnStatistics: true,
  },
  {
    operation: /^count of flow runs by common name$/,
    reason: 'a count of many rows, for which PostgreSQL may read an index with all names instead of the rows',
    dependsOnStatistics: true,
  },
  {
    operation: /^task runs by .* by duration$/,
    reason: 'sorts the newest 20,000 that match, and reads all rows if fewer do; it runs on the thread of long reads',
    dependsOnStatistics: true,
  },
  { operation: /^count of artifacts$/, reason: 'an exact count of all rows' },
  {
    operation: /sorted by NEXT_SCHEDULED_START_TIME_ASC$/,
    reason: 'clients use this order with a filter on the state; an index would cost every run',
  },
]

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`reads of a large database (${dialect})`, () => {
    let app: App
    let drop: () => Promise<void>
    let plain: Connection
    let reads: Connection
    let take: () => SentStatement[]
    let findScans: FindScans
    let operations: ReadOperation[]

    beforeAll(async () => {
      const database = await (dialect === 'sqlite' ? migratedSqlite() : migratedPostgres())
      const pool: Pool =
        dialect === 'sqlite' ? openSqlite(database.url) : openPostgres(database.url, { poolSize: 4, statementTimeoutSeconds: 60, onError: () => {} })
      await fillDatabase(pool, { ...sizes, now, days: 90 })
      // Reads of tables of this size are often faster without an index. The full proof lets PostgreSQL choose.
      plain = dialect === 'sqlite' ? pool.reads : indexPlans(database.url, pool)
      reads = pool.reads
      const recording = recordStatements(reads)
      take = recording.take
      const { config } = readConfig({ MILLRACE_DATABASE_URL: database.url }, [])
      app = await assembleApp({ pool: { ...pool, reads: recording.connection }, clock: testClock(), sync: undefined }, { config })
      drop = database.drop
      operations = readOperations(await readFixtures(plain))
      findScans = dialect === 'sqlite' ? findSqliteScans : findPostgresScans(await countRows(plain))
    }, 120_000)

    afterAll(async () => {
      await app.close()
      for (const close of closers.splice(0)) await close()
      await drop()
    })

    test('do not scan tables that grow with the runs', { timeout: 120_000 }, async () => {
      const found: string[] = []
      const used = new Set<string>()
      for (const { name, method, path, body } of operations) {
        take()
        const response = await app.server.inject({ method, url: path, ...(body ? { payload: body } : {}) })
        expect(`${name}: ${response.statusCode}`).toBe(`${name}: 200`)
        for (const statement of take()) {
          const scans = await findScans(plain, statement)
          const exception = exceptions.find(({ operation }) => operation.test(name))
          if (scans.length > 0 && exception) used.add(String(exception.operation))
          else found.push(...scans.map((scan) => `${name} ${scan}: ${statement.text}`))
        }
      }
      expect(found).toEqual([])
      for (const { operation, dependsOnStatistics } of exceptions) if (!dependsOnStatistics) expect(used).toContain(String(operation))
    })

    test.runIf(dialect === 'postgres')('read only a page of the logs of a run that is not in the statistics', async () => {
      const id = '0f0f0f0f-0000-4000-8000-000000000000'
      const logs = Array.from({ length: 5000 }, (_, i) => ({
        name: 'a',
        level: 20,
        message: `${i}`,
        timestamp: formatTime(now + i),
        flow_run_id: id,
      }))
      for (let i = 0; i < logs.length; i += 1000)
        expect((await app.server.inject({ method: 'POST', url: '/logs/', payload: logs.slice(i, i + 1000) })).statusCode).toBe(201)
      const pages = [
        { logs: { flow_run_id: { any_: [id] } } },
        { logs: { flow_run_id: { any_: [id] } }, sort: 'TIMESTAMP_DESC' },
        { logs: { flow_run_id: { any_: [id] }, timestamp: { after_: formatTime(now + 4000) } } },
        { logs: { flow_run_id: { any_: [id] }, timestamp: { before_: formatTime(now + 1000) } }, sort: 'TIMESTAMP_DESC' },
      ]
      for (const page of pages) {
        take()
        const { statusCode, body } = await app.server.inject({ method: 'POST', url: '/logs/filter', payload: { ...page, limit: 200 } })
        expect([statusCode, JSON.parse(body).length]).toEqual([200, 200])
        await expectFewRowsRead(210)
      }
    })

    test.runIf(dialect === 'postgres')('read only the next events of many that are not in the statistics', async () => {
      // In any order, like rows that fill the space of removed ones.
      const addEvents = (first: number, last: number) =>
        plain.run(
          `insert into event (position, id, occurred, received, event, resource_id, resource, related, payload) overriding system value
            select position, gen_random_uuid(), 1, 1, 'e', 'r', '{}', '[]', json_build_object('text', repeat('x', 900))
            from generate_series($1::integer, $2::integer) position order by md5(position::text)`,
          [first, last],
        )
      const head = await readHead(app.context.reads)
      await addEvents(head + 1, head + 2000)
      await plain.script('analyze event')
      await plain.script('delete from event')
      await addEvents(head + 2001, head + 6000)
      take()
      expect(await readEventsAfter(app.context.reads, head + 2000, 250)).toHaveLength(250)
      await expectFewRowsRead(250)
      await new LogTail(app.context.reads, () => {}).readNewEvents(await readRevision(app.context.reads))
      await expectFewRowsRead(250)
    })

    test('find task runs by their keys with one search for each, however many tasks their flow run has', async () => {
      const [{ id }] = (await plain.all<{ id: string }>('select id from flow_run limit 1', [])) as [{ id: string }]
      const keys = Array.from({ length: 200 }, (_, index) => ({ flow_run_id: id, task_key: `key-${index % 3}`, dynamic_key: `${index}` }))
      for (const payload of keys) expect((await app.server.inject({ method: 'POST', url: '/task_runs/', payload })).statusCode).toBe(201)
      take()
      const wanted = [...keys.slice(0, 16), { flow_run_id: id, task_key: 'key-1', dynamic_key: '0' }]
      expect(await readTaskRunsByKey(app.context.reads, wanted)).toHaveLength(16)
      if (dialect === 'postgres') return expectFewRowsRead(16)
      const [sent] = take() as [SentStatement]
      const plan = await plain.all<{ detail: string }>(`explain query plan ${sent.text}`, sent.values)
      expect(plan.map(({ detail }) => detail)).toContain(
        'SEARCH task_run USING INDEX task_run_by_dynamic_key (flow_run_id=? AND task_key=? AND dynamic_key=?)',
      )
    })

    /** Each statement since `take` reads at most this many rows of a table. */
    async function expectFewRowsRead(most: number): Promise<void> {
      const sent = take()
      expect(sent).not.toEqual([])
      for (const statement of sent)
        for (const [way, rows] of await countPostgresReads(reads, statement)) expect(rows, `${way}: ${statement.text}`).toBeLessThanOrEqual(most)
    }
  })
}

/** A connection on which PostgreSQL plans as for larger tables. */
function indexPlans(url: string, pool: Pool): Connection {
  if (isFullProof) return pool.reads
  const plans = openPostgres(`${url}?options=-c%20enable_seqscan%3Doff`, { poolSize: 1, statementTimeoutSeconds: 60, onError: () => {} })
  closers.push(() => plans.close())
  return plans.reads
}
const closers: (() => Promise<void>)[] = []

async function readFixtures(connection: Connection): Promise<ReadFixtures> {
  const id = async (text: string): Promise<string> => (await connection.all<{ id: string }>(text, []))[0]?.id ?? ''
  const run = await id(`select id from flow_run where name = 'brisk-otter-8'`)
  return {
    flow: await id(`select id from flow where name = 'flow-3'`),
    deployment: await id(`select id from deployment where name = 'deployment-3'`),
    run,
    taskRun: await id(`select id from task_run where flow_run_id = '${run}' limit 1`),
    now,
  }
}

async function countRows(connection: Connection): Promise<(table: string) => number> {
  const counts = new Map<string, number>()
  for (const table of [
    'flow_run',
    'flow_run_state',
    'flow_run_tag',
    'task_run',
    'task_run_state',
    'run_history_slot',
    'log',
    'artifact',
    'verdict',
  ]) {
    const [row] = await connection.all<{ count: number }>(`select count(*) as count from ${table}`, [])
    counts.set(table, Number(row?.count ?? 0))
  }
  return (table) => counts.get(table) ?? 0
}
