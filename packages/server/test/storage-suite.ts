import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { serviceActor } from '../src/lib/actor.ts'
import type { Clock } from '../src/lib/time.ts'
import { all, compare, compareTags } from '../src/storage/criteria.ts'
import { type Batch, type Db, statement } from '../src/storage/database.ts'
import { col } from '../src/storage/dialect.ts'
import { migrate, migrationsOf } from '../src/storage/migrate.ts'
import type { Pool } from '../src/storage/pool.ts'
import { columnsOf, type TableName, tables } from '../src/storage/tables.ts'
import { ReadDb } from '../src/storage/transaction.ts'
import { type Commands, createWriteQueue } from '../src/storage/write-queue.ts'

/** What the suite needs from a dialect: an empty database, and its columns as read from the database catalog. */
export interface DialectUnderTest {
  open(): Promise<Pool>
  columns(db: Db, table: string): Promise<Record<string, { type: string; nullable: boolean }>>
}

const clock: Clock = { now: () => 1_900_000_000_000_000 }
const ids = Array.from({ length: 20 }, (_, index) => `0198c1c2-aaaa-7bbb-8ccc-0000000000${String(index).padStart(2, '0')}`)
const flow = (index: number, name = `flow ${index}`, tags: string[] = []) => ({
  id: ids[index] as string,
  created: 1,
  updated: 1_900_000_000_000_001 + index,
  name,
  tags: JSON.stringify(tags),
  labels: '{"10":1,"2":1.0}',
})

/** Behaviour of storage that both dialects share. A fix in one dialect starts with a case here. */
export function defineStorageSuite(dialect: DialectUnderTest): void {
  async function withWriteQueue(use: (commands: Commands, reads: Db, pool: Pool) => Promise<void>): Promise<void> {
    const pool = await dialect.open()
    try {
      await migrate(pool, clock)
      const queue = createWriteQueue(pool, { writeEvents: async () => {}, onCommit: () => {} })
      await use(queue.as(serviceActor('test')), new ReadDb(pool.reads, pool.dialect), pool)
    } finally {
      await pool.close()
    }
  }
  const names = async (db: Db): Promise<string[]> =>
    (await db.all<{ name: string }>(statement('select name from flow order by name'))).map(({ name }) => name)

  test('every table has the columns and types that the code expects', () =>
    withWriteQueue(async (_commands, reads, pool) => {
      for (const table of Object.keys(tables) as TableName[]) {
        const wanted = Object.fromEntries(
          Object.entries(columnsOf(table)).map(([name, { kind, nullable }]) => [
            name,
            { type: pool.dialect.columnType(kind).toLowerCase(), nullable },
          ]),
        )
        const { position: _, ...found } = await dialect.columns(reads, table)
        expect(found, table).toEqual(wanted)
      }
    }))

  test('migrations are applied once', () =>
    withWriteQueue(async (_commands, _reads, pool) => {
      expect(await migrate(pool, clock)).toEqual([])
    }))

  test('an older server refuses a newer, breaking schema', () =>
    withWriteQueue(async (commands, _reads, pool) => {
      const next = (migrationsOf(pool.dialect.name).at(-1)?.number ?? 0) + 1
      const insert = (number: number, breaking: number) =>
        commands.submit((tx) =>
          tx.run(statement(`insert into millrace_migration (number, name, breaking, applied) values (${number}, 'later', ${breaking}, 0)`)),
        )
      await insert(next, 0)
      await migrate(pool, clock)
      await insert(next + 1, 1)
      await expect(migrate(pool, clock)).rejects.toThrow(
        /^The database has migration later, which Millrace \S+ does not know\. Start the newer version that applied it, or restore a backup from before the upgrade\.$/,
      )
    }))

  test('a database of a Prefect server stays unchanged', () =>
    withWriteQueue(async (commands, _reads, pool) => {
      await commands.submit((tx) => tx.run(statement('create table alembic_version (version_num text)')))
      await expect(migrate(pool, clock)).rejects.toThrow(/^The database \S+ belongs to a Prefect server\. Choose another database/)
    }))

  test('JSON and times come back as they were written', () =>
    withWriteQueue(async (commands, reads) => {
      await commands.submit((tx) => tx.insert('flow', [flow(0, 'a', ['x', 'ü "q"'])]))
      const [row] = await reads.all<ReturnType<typeof flow>>(statement('select * from flow'))
      expect(row).toMatchObject({ labels: '{"10":1,"2":1.0}', updated: 1_900_000_000_000_001 })
      expect(JSON.parse(row?.tags ?? '')).toEqual(['x', 'ü "q"'])
    }))

  test('commands of one turn share a transaction, and a failed one is rolled back alone', () =>
    withWriteQueue(async (commands, reads) => {
      const outcomes = await Promise.allSettled([
        commands.submit((tx) => tx.insert('flow', [flow(0)])),
        commands.submit(async (tx) => {
          await tx.insert('flow', [flow(1)])
          throw new Error('rejected')
        }),
        commands.submit((tx) => tx.insert('flow', [flow(2, 'flow 0')])),
        commands.submit((tx) => tx.insert('flow', [flow(3)])),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
      expect(await names(reads)).toEqual(['flow 0', 'flow 3'])
    }))

  test('a failed batch is repeated one command at a time', () =>
    withWriteQueue(async (commands, reads) => {
      const insert = async (tx: Parameters<Parameters<Commands['submit']>[0]>[0], rows: readonly ReturnType<typeof flow>[]) => {
        await tx.insert('flow', rows)
        return rows.map(() => 'done')
      }
      const outcomes = await Promise.allSettled([flow(0), flow(1), flow(2, 'flow 1'), flow(4)].map((row) => commands.submitTo(insert, row)))
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
      expect(await names(reads)).toEqual(['flow 0', 'flow 1', 'flow 4'])
    }))

  test('a write without waiting fails only its own command, and later statements see its rows', () =>
    withWriteQueue(async (commands, reads) => {
      const insert: Batch<ReturnType<typeof flow>, number> = async (tx, rows) => {
        await tx.write([{ insert: 'flow', rows }])
        const [found] = await tx.all<{ count: number }>(statement('select count(*) as count from flow'))
        await tx.write([{ update: 'flow', rows: rows.map(({ id }) => ({ id, tags: '["late"]' })) }])
        return rows.map(() => Number(found?.count))
      }
      const outcomes = await Promise.allSettled([flow(0), flow(1), flow(2, 'flow 1'), flow(4)].map((row) => commands.submitTo(insert, row)))
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
      expect(outcomes[2]).toMatchObject({ reason: { status: 409 } })
      // Each sees the rows of its transaction.
      const seen = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
      expect(seen.every((count, index) => count > index)).toBe(true)
      const rows = await reads.all<{ name: string; tags: string }>(statement('select name, tags from flow order by name'))
      expect(rows).toEqual(['flow 0', 'flow 1', 'flow 4'].map((name) => ({ name, tags: '["late"]' })))
    }))

  test('a write without waiting does not fail the commands of other batches', () =>
    withWriteQueue(async (commands, reads) => {
      const outcomes = await Promise.allSettled(
        [flow(0), flow(1, 'flow 0'), flow(2)].map((row) =>
          commands.submit(async (tx) => {
            await tx.write([{ insert: 'flow', rows: [row] }])
            if (row.id === flow(1).id) throw new Error('after the write')
          }),
        ),
      )
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await names(reads)).toEqual(['flow 0', 'flow 2'])
    }))

  test('an error result fails only its own command', () =>
    withWriteQueue(async (commands) => {
      const judge = async (_tx: unknown, inputs: readonly number[]) => inputs.map((input) => (input % 2 ? new Error('odd') : input))
      const outcomes = await Promise.allSettled([0, 1, 2].map((input) => commands.submitTo(judge, input)))
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    }))

  test('reads see committed data only', () =>
    withWriteQueue(async (commands, reads) => {
      await commands.submit(async (tx) => {
        await tx.insert('flow', [flow(0)])
        expect(await names(tx)).toEqual(['flow 0'])
        expect(await names(reads)).toEqual([])
      })
      expect(await names(reads)).toEqual(['flow 0'])
    }))

  test('bulk inserts and updates work, and conflicts are distinguished', () =>
    withWriteQueue(async (commands, reads) => {
      await commands.submit((tx) =>
        tx.insert(
          'flow',
          ids.map((_, index) => flow(index)),
        ),
      )
      const again = await commands.submit((tx) =>
        tx.insert('flow', [flow(0), { ...flow(1), id: '0198c1c2-aaaa-7bbb-8ccc-0000000000ff', name: 'new' }], {
          onConflict: 'on conflict do nothing',
        }),
      )
      expect(again).toBe(1)
      const changed = await commands.submit((tx) =>
        tx.update('flow', [
          { id: ids[0] as string, name: 'z' },
          { id: ids[1] as string, name: 'y' },
        ]),
      )
      expect(changed).toBe(2)
      expect((await names(reads)).slice(-2)).toEqual(['y', 'z'])
      await expect(commands.submit((tx) => tx.insert('flow', [flow(0)]))).rejects.toMatchObject({ status: 409, code: 'CONFLICT' })
      const orphan = commands.submit((tx) =>
        tx.insert('flow_run_input', [
          { id: ids[0] as string, created: 0, updated: 0, flow_run_id: ids[1] as string, key: 'x', value: 'x', sender: null },
        ]),
      )
      await expect(orphan).rejects.toMatchObject({ status: 409, code: 'UNKNOWN_REFERENCE' })
    }))

  test('criteria match the same rows', () =>
    withWriteQueue(async (commands, reads) => {
      await commands.submit((tx) => tx.insert('flow', [flow(0, 'Alpha', ['red', 'blue']), flow(1, 'beta_%', ['blue']), flow(2, 'gamma')]))
      const { dialect: d } = reads
      const found = async (conditions: ReturnType<typeof compare>) =>
        (await sql<{ name: string }>`select name from flow where ${all(conditions)} order by id`.execute(reads.kysely)).rows.map(({ name }) => name)
      const name = col('flow.name')
      const tags = col('flow.tags')
      expect(await found(compare(d, name, { any_: [] }))).toEqual([])
      expect(await found(compare(d, name, { any_: ['Alpha', 'nobody'] }))).toEqual(['Alpha'])
      expect(await found(compare(d, name, { not_any_: [] }))).toHaveLength(3)
      expect(await found(compare(d, name, { not_any_: ['Alpha'] }))).toEqual(['beta_%', 'gamma'])
      expect(await found(compare(d, name, { like_: 'ALPHA' }))).toEqual(['Alpha'])
      expect(await found(compare(d, name, { like_: 'a%a' }))).toEqual(['Alpha', 'gamma'])
      expect(await found([d.isLike(name, 'AL%')])).toEqual(['Alpha'])
      expect(await found([d.isLike(name, 'l%')])).toEqual([])
      expect(await found(compare(d, col('flow.id'), { any_: [ids[1] as string] }, 'uuid'))).toEqual(['beta_%'])
      expect(await found(compareTags(d, tags, { all_: ['blue', 'red'] }))).toEqual(['Alpha'])
      expect(await found(compareTags(d, tags, { all_: [] }))).toHaveLength(3)
      expect(await found(compareTags(d, tags, { any_: ['red', 'green'] }))).toEqual(['Alpha'])
      expect(await found(compareTags(d, tags, { any_: [] }))).toEqual([])
      expect(await found(compareTags(d, tags, { is_null_: true }))).toEqual(['gamma'])
      expect(await found(compareTags(d, tags, { operator: 'or_', all_: ['red'], is_null_: true }))).toEqual(['Alpha', 'gamma'])
    }))

  test('hundreds of concurrent writers get no error about a locked database', () =>
    withWriteQueue(async (commands, reads) => {
      const bump = statement("update flow set updated = updated + 1 where name = 'flow 0'")
      await commands.submit((tx) => tx.insert('flow', [flow(0)]))
      const before = (await reads.first<{ updated: number }>(statement('select updated from flow')))?.updated ?? 0
      await Promise.all(Array.from({ length: 300 }, () => commands.submit((tx) => tx.run(bump))))
      expect((await reads.first<{ updated: number }>(statement('select updated from flow')))?.updated).toBe(before + 300)
    }))
}
