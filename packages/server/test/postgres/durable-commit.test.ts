import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { Session } from '../../src/storage/postgres/session.ts'
import { PostgresWriter } from '../../src/storage/postgres/writer.ts'
import { startPostgres } from './launcher.ts'

test.each([
  { server: 'several servers', notify: () => `notify test, 'topic'` },
  { server: 'a server that is alone', notify: () => undefined },
])('a commit of $server under the log lock is on the disk before it is acknowledged', async ({ notify }) => {
  // The background writer would flush commits after 10 seconds.
  const postgres = await startPostgres({ durable: true, settings: { wal_writer_delay: '10000ms', autovacuum: 'off' } })
  onTestFinished(() => postgres.stop())
  const url = await postgres.createDatabase('durable')
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  onTestFinished(() => admin.end())
  await admin.query('create table kept (n int)')
  const isFlushed = async (position: string): Promise<boolean> =>
    (await admin.query('select pg_current_wal_flush_lsn() > $1::pg_lsn as flushed', [position])).rows[0].flushed

  const session = new Session({ connectionString: url })
  await session.connect()
  await session.configure({})
  const writer = new PostgresWriter(session, notify)
  await writer.begin()
  await writer.run('insert into kept values (1)', [])
  const [row] = await writer.all<{ position: string }>('select pg_current_wal_insert_lsn()::text as position', [])
  await writer.runInLogOrder('with added as (insert into kept values (2) returning n) select n from added', [])
  await writer.commit(new Set(['topic']))
  expect(await isFlushed(row?.position as string)).toBe(true)
  session.abandon(new Error('done'))

  // The check notices a commit that is not flushed.
  await admin.query('begin; set local synchronous_commit = off; insert into kept values (3)')
  const { rows } = await admin.query('select pg_current_wal_insert_lsn()::text as position')
  await admin.query('commit')
  expect(await isFlushed(rows[0].position)).toBe(false)
  expect((await admin.query('select n from kept order by n')).rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
})
