import pg from 'pg'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { emptyPostgres } from '../../../test/databases.ts'
import { startTcpProxy } from '../../../test/postgres/tcp-proxy.ts'
import { postgres } from './dialect.ts'
import { Session } from './session.ts'
import { unavailability } from './unavailability.ts'
import { PostgresWriter } from './writer.ts'

const noNotifications: ReadonlySet<string> = new Set()
const notify = (notifications: ReadonlySet<string>) => `notify test, '${[...notifications].join()}'`

let url: string
let drop: () => Promise<void>
let admin: pg.Client
let session: Session
let writer: PostgresWriter

beforeEach(async () => {
  const fresh = await emptyPostgres()
  ;({ url, drop } = fresh)
  admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query('create table thing (id int primary key, name text, constraint late unique (name) deferrable initially deferred)')
  ;({ session, writer } = await open())
})
afterEach(async () => {
  session.abandon(new Error('done'))
  await admin.end()
  await drop()
})

async function open(settings: Record<string, string> = {}, connectionString = url) {
  const session = new Session({ connectionString })
  await session.connect()
  await session.configure(settings)
  return { session, writer: new PostgresWriter(session, notify) }
}

const failureOf = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.then(
    () => undefined,
    (error) => error,
  )
const ids = async (): Promise<number[]> => (await admin.query('select id from thing order by id')).rows.map(({ id }) => id)
const insert = 'insert into thing (id, name) values ($1::int, $2::text)'
/** Like the append of events: a data-modifying CTE that checks for existing rows when it runs. */
const insertUnlessExists = `with fresh as (insert into thing (id, name) select $1::int, $2::text where not exists (select 1 from thing where id = $1::int) returning id)
  select count(*) from fresh`

test('commits plain statements and those under the log lock together', async () => {
  await writer.begin()
  await writer.run(insert, [1, 'a'])
  await writer.runInLogOrder(insertUnlessExists, [2, 'b'])
  await writer.runInLogOrder(insertUnlessExists, [3, 'c'])
  expect(await ids()).toEqual([])
  await writer.commit(new Set(['topic']))
  expect(await ids()).toEqual([1, 2, 3])
  expect(session.getTransactionStatus()).toBe('I')
})

test('commits a transaction with log statements only, and an empty one', async () => {
  await writer.begin()
  await writer.runInLogOrder(insertUnlessExists, [1, 'a'])
  await writer.commit(noNotifications)
  await writer.begin()
  await writer.commit(new Set(['topic']))
  await writer.begin()
  await writer.commit(noNotifications)
  await writer.begin()
  await writer.rollback()
  expect(await ids()).toEqual([1])
  expect(session.getTransactionStatus()).toBe('I')
})

test('reads what others commit during a transaction, whatever the isolation level of the database', async () => {
  await admin.query(`alter database "${new URL(url).pathname.slice(1)}" set default_transaction_isolation = 'serializable'`)
  const strict = await open()
  onTestFinished(() => strict.session.abandon(new Error('done')))
  await strict.writer.begin()
  expect(await strict.writer.all('select id from thing', [])).toEqual([])
  await admin.query(`insert into thing values (1, 'a')`)
  expect(await strict.writer.all('select id from thing', [])).toEqual([{ id: 1 }])
  await strict.writer.commit(noNotifications)
})

test('sends notifications with the commit', async () => {
  const heard = new Promise((resolve) => admin.once('notification', ({ payload }) => resolve(payload)))
  await admin.query('listen test')
  await writer.begin()
  await writer.commit(new Set(['one', 'two']))
  expect(await heard).toBe('one,two')
})

test('notifies after the commit if another server began to listen during it', async () => {
  const heard: unknown[] = []
  admin.on('notification', ({ payload }) => heard.push(payload))
  await admin.query('listen test')
  const statements = [undefined, notify(new Set(['late'])), undefined, undefined]
  const alone = new PostgresWriter(session, () => statements.shift())
  for (const id of [1, 2]) {
    await alone.begin()
    await alone.run(insert, [id, `name ${id}`])
    await alone.commit(new Set(['topic']))
  }
  await admin.query('select 1')
  expect({ heard, ids: await ids(), unused: statements }).toEqual({ heard: ['late'], ids: [1, 2], unused: [] })
})

type Call = [string, (string | number)[]]

const failures: [string, { first: Call; second?: Call; later?: Call; logged: Call }, string][] = [
  ['the first statement', { first: ['nonsense', []], logged: [insertUnlessExists, [2, 'b']] }, '42601'],
  ['a later statement', { first: [insert, [1, 'a']], second: [insert, [1, 'b']], logged: [insertUnlessExists, [2, 'b']] }, '23505'],
  ['a deferred statement', { first: [insert, [1, 'a']], later: [insert, [1, 'b']], logged: [insertUnlessExists, [2, 'b']] }, '23505'],
  ['preparing a log statement', { first: [insert, [1, 'a']], logged: ['nonsense', []] }, '42601'],
  ['binding a log statement', { first: [insert, [1, 'a']], logged: [insertUnlessExists, ['not a number', 'b']] }, '22P02'],
  [
    'running a log statement',
    { first: [insert, [1, 'a']], logged: [`with w as (insert into thing (id) values (9)) select 1 / ($1::int - $1::int)`, [1]] },
    '22012',
  ],
  ['the commit', { first: [insert, [1, 'a']], logged: [insertUnlessExists, [2, 'a']] }, '23505'],
]

describe.each([
  ['several servers', notify, noNotifications],
  ['a server that is alone', () => undefined, new Set(['topic'])],
] as const)('with %s', (_name, notify, notifications) => {
  test.each(failures)('rolls back when %s fails and runs the next transaction', async (_what, { first, second, later, logged }, code) => {
    const writer = new PostgresWriter(session, notify)
    const attempt = async () => {
      await writer.begin()
      await writer.run(...first)
      if (second) await writer.run(...second)
      if (later) await writer.runLater(...later)
      await writer.runInLogOrder(...logged)
      await writer.commit(notifications)
    }
    // Twice: a statement that failed to prepare must not count as prepared.
    for (let n = 0; n < 2; n += 1) {
      await expect(attempt()).rejects.toMatchObject({ code })
      await writer.rollback()
      expect(session.getTransactionStatus()).toBe('I')
      expect(await ids()).toEqual([])
    }
    await writer.begin()
    await writer.runLater(insert, [5, 'e'])
    await writer.runInLogOrder(insertUnlessExists, [6, 'f'])
    await writer.runInLogOrder(insertUnlessExists, [7, 'g'])
    await writer.commit(notifications)
    expect(await ids()).toEqual([5, 6, 7])
    expect(session.getTransactionStatus()).toBe('I')
  })
})

test('sends deferred inserts and their commit as one message', async () => {
  const sent = vi.spyOn(session, 'query')
  await writer.begin()
  await writer.runLater(insert, [1, 'a'], { inserts: true })
  await writer.runLater(insert, [2, 'b'], { inserts: true })
  await writer.commit(noNotifications)
  expect(sent).toHaveBeenCalledTimes(1)
  expect(await ids()).toEqual([1, 2])
})

test('rejects the commit of a broken transaction', async () => {
  await writer.begin()
  await writer.run('nonsense', []).catch(() => undefined)
  await expect(writer.commit(noNotifications)).rejects.toThrow('transaction is aborted')
})

test('sees the rows that another transaction committed before it got the log lock', async () => {
  const other = await open()
  await admin.query('begin; select pg_advisory_xact_lock(7277001)')
  for (const each of [writer, other.writer]) {
    await each.begin()
    await each.runInLogOrder(insertUnlessExists, [1, 'a'])
  }
  const commits = Promise.all([writer.commit(noNotifications), other.writer.commit(noNotifications)])
  await admin.query('commit')
  await commits
  expect(await ids()).toEqual([1])
  other.session.abandon(new Error('done'))
})

test('finishes on the database once the commit is sent', async () => {
  await writer.begin()
  await writer.run(insert, [1, 'a'])
  await writer.runInLogOrder(insertUnlessExists, [2, 'b'])
  // Simulates a frozen client.
  session.connection.stream.pause()
  writer.commit(noNotifications).catch(() => undefined)
  await expect.poll(ids, { timeout: 5000 }).toEqual([1, 2])
  // PostgreSQL shows the rows of a commit before it releases the locks.
  const heldLocks = async () =>
    (await admin.query(`select count(*)::int as held from pg_locks where locktype = 'advisory' and objsubid = 1`)).rows[0].held
  await expect.poll(heldLocks, { timeout: 5000 }).toBe(0)
})

test('releases the rows of an idle transaction after the idle timeout', async () => {
  const frozen = await open({ idle_in_transaction_session_timeout: '100' })
  await frozen.writer.begin()
  await frozen.writer.run(insert, [1, 'a'])
  // Waits for the other transaction to end.
  await admin.query(`insert into thing (id, name) values (1, 'mine')`)
  await expect(frozen.writer.run(insert, [2, 'b'])).rejects.toMatchObject({ code: '25P03' })
})

test('rejects all statements in flight when the connection breaks', async () => {
  await writer.begin()
  await writer.run(insert, [1, 'a'])
  const [{ pid }] = (await writer.all<{ pid: number }>('select pg_backend_pid() as pid', [])) as [{ pid: number }]
  const slow = writer.run('select pg_sleep(30)', [])
  await writer.runInLogOrder(insertUnlessExists, [2, 'b'])
  const committed = writer.commit(noNotifications)
  // Unread data makes the kernel reset the connection, so the final error of the database (57P01) may be lost.
  const [, ...failures] = await Promise.all([admin.query('select pg_terminate_backend($1)', [pid]), failureOf(slow), failureOf(committed)])
  expect(failures.map(unavailability)).toEqual(['lost', 'lost'])
  expect(session.lost).toBeInstanceOf(Error)
  await writer.rollback()
  expect(unavailability(await failureOf(writer.run(insert, [3, 'c'])))).toBe('lost')
  expect(await ids()).toEqual([])
})

test('skips a setting that the database rejects and applies the others', async () => {
  const { session: other } = await open({
    lock_timeout: '1234',
    no_such_setting: 'x',
    tcp_keepalives_idle: 'not a number',
    statement_timeout: '4321',
  })
  const shown = async (name: string) => ((await other.script(`show ${name}`)) as pg.QueryResult).rows[0][name]
  expect(await shown('lock_timeout')).toBe('1234ms')
  expect(await shown('statement_timeout')).toBe('4321ms')
  other.abandon(new Error('done'))
})

test('proves that a commit after the idle timeout did not happen', async () => {
  const proxy = await startTcpProxy(url)
  onTestFinished(() => proxy.close())
  const behind = await open({ idle_in_transaction_session_timeout: '100' }, proxy.url)
  onTestFinished(() => behind.session.abandon(new Error('done')))
  await behind.writer.begin()
  await behind.writer.run(insert, [1, 'a'])
  proxy.blackHole()
  const commit = failureOf(behind.writer.commit(noNotifications))
  const alive = () => admin.query('select 1 from pg_stat_activity where pid = $1', [behind.session.pid])
  await vi.waitFor(async () => expect((await alive()).rows).toEqual([]), { timeout: 5000 })
  proxy.resume()
  const error = await commit
  expect(unavailability(error)).toBe('lost')
  expect(postgres.provesRollback(error)).toBe(true)
  expect(await ids()).toEqual([])
})
