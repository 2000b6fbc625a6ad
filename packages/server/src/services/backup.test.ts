import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { migratedSqlite, newFolder } from '../../test/databases.ts'
import { runService, startApp, type TestApp } from '../../test/setup.ts'
import { backupProblem } from '../config/backups.ts'
import { ConfigError, readConfig } from '../config.ts'
import { backup } from './backup.ts'

async function startWithBackups(env: Record<string, string> = {}): Promise<{ app: TestApp; folder: string }> {
  const folder = join(newFolder(), 'saved')
  const { url, drop } = await migratedSqlite()
  const app = await startApp(url, { env: { MILLRACE_SERVICES_BACKUP_SCHEDULE: '0 3 * * *', MILLRACE_SERVICES_BACKUP_FOLDER: folder, ...env } })
  onTestFinished(async () => {
    await app.close()
    await drop()
  })
  return { app, folder }
}

const statusOf = async (app: TestApp) => (await app.call('GET', '/api/admin/settings')).body.backups

test('saves the database at once, then at the times of the schedule, and keeps the newest', async () => {
  const { app, folder } = await startWithBackups({ MILLRACE_SERVICES_BACKUP_KEEP: '2' })
  expect(await runService(app, backup)).toEqual({ backup_bytes: expect.any(Number) })
  expect(readdirSync(folder)).toEqual(['test-20300101T000000Z.db.zst'])
  expect(await statusOf(app)).toEqual({
    folder,
    last_backup: '2030-01-01T00:00:00Z',
    last_file: join(folder, 'test-20300101T000000Z.db.zst'),
    last_failure: null,
    next_backup: '2030-01-01T03:00:00Z',
  })
  app.clock.advance(2 * 3600)
  expect(await runService(app, backup)).toEqual({ backup_bytes: 0 })
  app.clock.advance(3600)
  await runService(app, backup)
  // Two times passed while the server was down: one backup makes up for both.
  app.clock.advance(50 * 3600)
  await runService(app, backup)
  expect(await runService(app, backup)).toEqual({ backup_bytes: 0 })
  expect(readdirSync(folder).sort()).toEqual(['test-20300101T030000Z.db.zst', 'test-20300103T050000Z.db.zst'])
  expect(await app.eventNames()).toEqual(['millrace.backup.finished', 'millrace.backup.finished', 'millrace.backup.finished'])
})

test('reports a failure, leaves nothing behind and tries again later', async () => {
  const { app, folder } = await startWithBackups()
  writeFileSync(folder, 'a file')
  await expect(runService(app, backup)).rejects.toThrow('a file is in the place of its folder')
  expect(await statusOf(app)).toMatchObject({ last_backup: null, last_failure: { problem: expect.stringContaining('cannot be written') } })
  expect(await app.eventNames()).toEqual(['millrace.backup.failed'])
  expect(await runService(app, backup)).toEqual({ backup_bytes: 0 })
  rmSync(folder)
  app.clock.advance(301)
  expect(await runService(app, backup)).toEqual({ backup_bytes: expect.any(Number) })
  expect(await statusOf(app)).toMatchObject({ last_failure: null })
})

test('stops at shutdown without an unfinished file', async () => {
  const { app, folder } = await startWithBackups()
  mkdirSync(folder)
  const controller = new AbortController()
  const pass = backup.runOnce(app.context, controller.signal)
  controller.abort()
  expect(await pass).toEqual({ backup_bytes: 0 })
  expect(readdirSync(folder)).toEqual([])
})

test('the schedule must be a cron expression and needs a SQLite file', () => {
  const read = (env: Record<string, string>) => readConfig({ HOME: '/x', MILLRACE_SERVICES_BACKUP_SCHEDULE: '@daily', ...env }, []).config
  expect(() => read({ MILLRACE_SERVICES_BACKUP_SCHEDULE: 'at noon' })).toThrow(ConfigError)
  expect(backupProblem(read({}))).toBeUndefined()
  expect(backupProblem(read({ MILLRACE_DATABASE_URL: 'postgres://u@h/d' }))).toMatch(
    /^Scheduled backups are for SQLite\. .* Remove MILLRACE_SERVICES_BACKUP/,
  )
  expect(backupProblem(read({ MILLRACE_DATABASE_URL: 'sqlite::memory:' }))).toMatch(/in memory/)
  expect(backup.enabled(readConfig({ HOME: '/x' }, []).config)).toBe(false)
})
