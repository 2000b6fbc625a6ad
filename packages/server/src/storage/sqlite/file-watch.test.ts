import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { migratedSqliteFile } from '../../../test/databases.ts'
import { startApp, testClock } from '../../../test/setup.ts'
import { migrate } from '../migrate.ts'
import { openSqlite } from './connect.ts'

/** The promise is five seconds. */
const noticed = { timeout: 5000, interval: 50 }

async function startServer() {
  const file = await migratedSqliteFile()
  const app = await startApp(`sqlite:${file}`)
  onTestFinished(() => app.close())
  const createFlow = (name: string) => app.call('POST', '/flows/', { name })
  expect((await createFlow('before')).status).toBe(201)
  return { file, app, createFlow }
}

const replace = (file: string) => {
  copyFileSync(file, `${file}.new`)
  renameSync(`${file}.new`, file)
}

const losses: [string, (file: string) => void, RegExp][] = [
  ['the file is deleted', (file) => rmSync(file), /^The database file was deleted or moved/],
  ['the file is moved', (file) => renameSync(file, `${file}.old`), /^The database file was deleted or moved/],
  ['the file is replaced', replace, /^The database file was replaced by another file/],
  ['its folder is deleted', (file) => rmSync(dirname(file), { recursive: true }), /^The database file was deleted or moved/],
  ['the log is deleted', (file) => rmSync(`${file}-wal`), /^The write-ahead log of the database was deleted or moved/],
  ['the log is replaced', (file) => replace(`${file}-wal`), /^The write-ahead log of the database was replaced by another file/],
]

test.each(losses)('reads and writes fail, and the server is not ready, within five seconds after %s', async (_name, lose, why) => {
  const { file, app, createFlow } = await startServer()
  lose(file)
  await vi.waitFor(async () => expect((await createFlow('after')).status).toBe(503), noticed)
  const answers = [
    await createFlow('later'),
    await app.call('POST', '/flows/filter', {}),
    await app.call('POST', '/flow_runs/count', {}),
    await app.call('POST', '/logs/', [{ name: 'l', level: 20, message: 'm', timestamp: '2030-01-01T00:00:00Z' }]),
  ]
  for (const { status, body, headers } of answers) {
    expect(status).toBe(503)
    expect(body.code).toBe('UNAVAILABLE')
    expect(body.detail.replace('The database is unavailable: ', '')).toMatch(why)
    expect(body.detail).not.toContain(file)
    expect(headers['retry-after']).toBeDefined()
  }
  expect((await app.call('GET', '/ready')).status).toBe(503)
  expect((await app.call('GET', '/health')).status).toBe(200)
})

test('one message says which file is lost and what to do', async () => {
  const file = await migratedSqliteFile()
  const pool = openSqlite(`sqlite:${file}`)
  onTestFinished(() => pool.close())
  const messages: string[] = []
  pool.onFileLost?.((message) => messages.push(message))
  await pool.start?.()
  rmSync(file)
  await vi.waitFor(() => expect(messages).toHaveLength(1), noticed)
  expect(messages).toEqual([
    `The database file ${file} was deleted or moved while the server used it, so what was written in the last seconds may be lost. All requests are answered with 503 from now on. Stop the server, put the file back or restore it from a backup (\`millrace restore\`), and start it again.`,
  ])
  await expect(pool.reads.all('select 1', [])).rejects.toThrow('Restart the server once the file is in place.')
})

test('a file that comes back is used after a restart, and the old server does not touch it', async () => {
  const { file, app, createFlow } = await startServer()
  renameSync(file, `${file}.old`)
  await vi.waitFor(async () => expect((await createFlow('after')).status).toBe(503), noticed)
  // A backup that another program has left with a log.
  copyFileSync(`${file}.old`, file)
  rmSync(`${file}-wal`, { force: true })
  rmSync(`${file}-shm`, { force: true })
  const restored = new DatabaseSync(file)
  onTestFinished(() => restored.close())
  restored.exec('pragma journal_mode = wal; create table mine (a); insert into mine values (1)')
  expect((await createFlow('again')).status).toBe(503)
  await app.close()
  expect(existsSync(`${file}-wal`)).toBe(true)
  expect(restored.prepare('select count(*) as count from mine').get()).toEqual({ count: 1 })
})

test('commits of a deleted log are saved to the database file', async () => {
  const { file, app, createFlow } = await startServer()
  rmSync(`${file}-wal`)
  await vi.waitFor(async () => expect((await createFlow('after')).status).toBe(503), noticed)
  await app.close()
  const pool = openSqlite(`sqlite:${file}`)
  onTestFinished(() => pool.close())
  expect(await pool.reads.all("select name from flow where name = 'before'", [])).toEqual([{ name: 'before' }])
})

test('other programs that open the database, and its own checkpoints, are no loss', async () => {
  const file = await migratedSqliteFile()
  const pool = openSqlite(`sqlite:${file}`, { firstCheckpointSeconds: 0.02, checkpointSeconds: 0.02 })
  onTestFinished(() => pool.close())
  await migrate(pool, testClock())
  const lost = vi.fn()
  pool.onFileLost?.(lost)
  await pool.start?.()
  const until = performance.now() + 2500
  await vi.waitFor(
    async () => {
      await pool.withWriter((connection) => connection.run('update flow set updated = updated', []))
      const other = new DatabaseSync(file)
      other.exec('pragma wal_checkpoint(truncate)')
      other.close()
      expect(performance.now()).toBeGreaterThan(until)
    },
    { timeout: 5000, interval: 100 },
  )
  expect(lost).not.toHaveBeenCalled()
  expect(await pool.reads.all('select 1 as one', [])).toEqual([{ one: 1 }])
})
