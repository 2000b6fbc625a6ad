import { expect, test } from 'vitest'
import { readEventsAfter } from '../src/events/cursor.ts'
import { readEventsById } from '../src/events/log-reader.ts'
import { SegmentWriter } from '../src/events/segments/segment-writer.ts'
import type { EventRow } from '../src/events/store.ts'
import { eventSegments } from '../src/services/event-segments.ts'
import { retention } from '../src/services/retention.ts'
import { statement } from '../src/storage/database.ts'
import { migrate, migrationsOf } from '../src/storage/migrate.ts'
import type { Pool } from '../src/storage/pool.ts'
import { openPostgres } from '../src/storage/postgres/connect.ts'
import { openSqlite } from '../src/storage/sqlite/connect.ts'
import { emptyPostgres, newFolder } from './databases.ts'
import { runService, startApp, type TestApp, testClock } from './setup.ts'

const before = 17
const legacySize = 8
const day = 86_400_000_000

/** Rows over several days, with texts that must not change. */
const rows = Array.from({ length: 30 }, (_, index): EventRow => {
  const id = `0198c1c2-aaaa-7bbb-8ccc-0000000000${String(index).padStart(2, '0')}`
  return {
    position: index + 1,
    id,
    occurred: testClock().now() - 5 * day + index * day * 0.15,
    received: 1_800_000_000_000_000 + index,
    event: `e${index % 2}`,
    resource_id: `thing.${index % 5}`,
    resource: `{"prefect.resource.id":"thing.${index % 5}"}`,
    related: '[]',
    payload: `{"b":1.0,"n":12345678901234567890,"treasure":"t${index}"}`,
    follows: index % 3 === 0 ? id : null,
  }
})

/** A database of the version before, with two legacy segments. Events 3 and 4 were removed by retention, from a legacy segment. */
async function createOldDatabase(pool: Pool): Promise<void> {
  await pool.withMaintenance(async (connection) => {
    await connection.run(
      'create table millrace_migration (number integer primary key, name text not null, breaking integer not null, applied bigint not null)',
      [],
    )
    for (const { number, name, up } of migrationsOf(pool.dialect.name).filter(({ number }) => number < before)) {
      await connection.script(up)
      await connection.run('insert into millrace_migration (number, name, breaking, applied) values ($1, $2, 0, 0)', [number, name])
    }
    if (pool.dialect.partitions)
      for (let n = 0; n < 3; n += 1) await connection.all(`select millrace_add_partition('event', ${day}, ${rows[0]?.occurred} + ${n * day})`, [])
    const columns = ['position', 'id', 'occurred', 'received', 'event', 'resource_id', 'resource', 'related', 'payload', 'follows'] as const
    const insert = `insert into event (${columns.join(', ')}) values (${columns.map((_, n) => `$${n + 1}`).join(', ')})`
    for (const row of rows.filter(({ position }) => position !== 3 && position !== 4))
      await connection.run(
        insert,
        columns.map((column) => row[column]),
      )
    if (pool.dialect.name === 'postgres') await connection.run(`select setval('event_position', 30)`, [])
    for (const legacy of [rows.slice(0, legacySize), rows.slice(legacySize, 2 * legacySize)]) {
      const writer = new SegmentWriter(4096)
      for (const row of legacy) writer.add(row)
      const { first, last, count, oldest, newest } = writer.bounds()
      const insertLegacy = 'insert into event_chapter (first, last, count, oldest, newest, version) values ($1, $2, $3, $4, $5, $6)'
      await connection.run(insertLegacy, [first, last, count, oldest, newest, first === 1 ? 1 : 0])
      const parts = await writer.encode()
      for (const part of ['columns', 'links', 'subjects', 'lines', 'payloads', 'grams'] as const)
        await connection.run('insert into event_chapter_part (first, part, body) values ($1, $2, $3)', [first, part, parts[part]])
    }
  })
}

const count = async (app: TestApp, table: string): Promise<number> =>
  Number((await app.context.reads.first<{ count: number }>(statement(`select count(*) as count from ${table}`)))?.count)

async function checkQueries(app: TestApp): Promise<void> {
  const total = async (filter: object) => (await app.call('POST', '/events/filter', { filter })).body.total
  expect(await total({})).toBe(28)
  expect(await total({ event: { name: ['e0'] } })).toBe(14)
  expect(await total({ resource: { id: ['thing.1'] } })).toBe(6)
  expect(await total({ resource: { id_prefix: ['thing.'] } })).toBe(28)
  expect(await total({ text: { query: 'treasure' } })).toBe(28)
  expect(await total({ text: { query: '"12345678901234567890,\\"treasure\\":\\"t1"' } })).toBe(11)
  expect(await total({ id: { id: [rows[5]?.id, rows[3]?.id, rows[29]?.id] } })).toBe(2)
  const { body: counts } = await app.call('POST', '/events/count-by/event', { filter: {} })
  expect(counts.map(({ count }: { count: number }) => count)).toEqual([14, 14])
  expect(await readEventsAfter(app.context.reads, 0, 100)).toEqual(rows.filter(({ position }) => position !== 3 && position !== 4))
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`a database of the version before keeps its events (${dialect})`, { timeout: 60_000 }, async () => {
    const { url, drop } = dialect === 'postgres' ? await emptyPostgres() : { url: `sqlite:${newFolder()}/old.db`, drop: async () => {} }
    const pool = dialect === 'postgres' ? openPostgres(url, { poolSize: 2, statementTimeoutSeconds: 60, onError: () => {} }) : openSqlite(url)
    await createOldDatabase(pool)
    expect(await migrate(pool, testClock())).toContain('017_event_log_tail')
    await pool.close()
    const app = await startApp(url)
    try {
      await checkQueries(app)
      // Retention leaves legacy segments alone until they are converted.
      await runService(app, retention)
      await checkQueries(app)
      // An event that was stored before the migration is known.
      const [known] = await readEventsById(app.context.reads, [rows[9]?.id as string])
      expect(known).toEqual(rows[9])
      const again = { id: rows[9]?.id, occurred: '2029-12-30T00:00:00Z', event: 'again', resource: { 'prefect.resource.id': 'x' } }
      expect((await app.call('POST', '/events', [again])).status).toBe(204)
      expect(await runService(app, eventSegments)).toEqual({ segments: 2 })
      expect([await count(app, 'event_chapter'), await count(app, 'event_chapter_part'), await count(app, 'event_segment')]).toEqual([0, 0, 2])
      expect(await count(app, 'event')).toBe(14)
      await checkQueries(app)
      expect((await app.call('POST', '/events', [again])).status).toBe(204)
      await checkQueries(app)
    } finally {
      await app.close()
      await drop()
    }
  })
}
