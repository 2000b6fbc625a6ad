import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { StartupError } from '../src/lib/startup-error.ts'
import { migratedSqliteFile, newFolder } from './databases.ts'
import { temporaryFolder, unprivilegedAccount } from './postgres/unprivileged-account.ts'
import { type ProcessExit, runUntilExit, type StartOptions } from './run-until-exit.ts'

const startOnFile = (file: string, options?: StartOptions): Promise<ProcessExit> =>
  runUntilExit(['--port', '0', '--database', `sqlite:${file}`], options)

/** Starts a server in this process: a child process takes 1.3 s. The tests that use `startOnFile` check the exit code of a real process. */
async function startInProcess(file: string, env: Record<string, string> = {}): Promise<ProcessExit> {
  const { config } = readConfig({ MILLRACE_DATABASE_URL: `sqlite:${file}`, ...env }, [])
  try {
    await (await buildApp({ config })).close()
    return { code: null, stdout: 'started', stderr: '' }
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    return { code: error.exitCode, stdout: '', stderr: `${error.message}\n` }
  }
}

const expectedExit = (message: string, code = 22): ProcessExit => ({ code, stdout: '', stderr: `${message}\n` })

test('reports a file that is not a database', async () => {
  const file = join(newFolder('start'), 'm.db')
  writeFileSync(file, 'no database '.repeat(1000))
  expect(await startOnFile(file)).toEqual(
    expectedExit(`${file} is not a SQLite database. Restore it from a backup, or choose another file with --database.`),
  )
  expect(existsSync(`${file}.lock`)).toBe(false)
})

test('reports a damaged file', async () => {
  const file = await migratedSqliteFile()
  writeSync(openSync(file, 'r+'), Buffer.alloc(3900, 0xff), 0, 3900, 110)
  expect(await startInProcess(file)).toEqual(
    expectedExit(
      `The database file ${file} is damaged (database disk image is malformed). Restore it from a backup, or save what can be read with \`sqlite3 ${file} .recover\`.`,
    ),
  )
})

test('rejects a schema of a newer version', async () => {
  const file = await migratedSqliteFile()
  const database = new DatabaseSync(file)
  database.exec("insert into millrace_migration (number, name, breaking, applied) values (999, '999_later', 1, 0)")
  database.close()
  expect(await startInProcess(file)).toEqual(
    expectedExit(
      'The database has migration 999_later, which Millrace 0.1.0 does not know. Start the newer version that applied it, or restore a backup from before the upgrade.',
    ),
  )
})

test.each([
  [
    'another program',
    ['users', 'posts'],
    (file: string) =>
      `The database ${file} belongs to another program: it has the tables posts, users, but none of Millrace's. Choose an empty database with --database.`,
  ],
  [
    'a Prefect server',
    ['alembic_version', 'flow_run'],
    (file: string) =>
      `The database ${file} belongs to a Prefect server. Choose another database with --database; \`millrace adopt ${file}\` copies everything from this one into it.`,
  ],
])('rejects a database of %s without changing it', async (_whose, tables, message) => {
  const file = join(newFolder('start'), 'm.db')
  const database = new DatabaseSync(file)
  for (const table of tables) database.exec(`create table ${table} (id integer)`)
  database.close()
  const before = readFileSync(file)
  expect(await startInProcess(file)).toEqual(expectedExit(message(file)))
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(existsSync(`${file}.lock`)).toBe(false)
})

test('rejects a folder, and a folder that cannot be created', async () => {
  const folder = newFolder('start')
  expect(await startInProcess(folder)).toEqual(expectedExit(`${folder} is a folder, not a database file. Name a file in it with --database.`))
  writeFileSync(join(folder, 'taken'), '')
  expect(await startInProcess(join(folder, 'taken', 'm.db'))).toEqual(
    expectedExit(
      `The folder ${join(folder, 'taken')} of the database file cannot be created: a file is in its place. Move it away, or choose another file with --database.`,
    ),
  )
})

test('reports a file or folder without write permission', async () => {
  const account = unprivilegedAccount()
  const folder = mkdtempSync(join(temporaryFolder(account), 'millrace-start-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  if (account) chownSync(folder, account.uid, account.gid)
  const file = join(folder, 'm.db')
  copyFileSync(await migratedSqliteFile(), file)
  chmodSync(file, 0o444)
  expect(await startOnFile(file, { account })).toEqual(
    expectedExit(
      `The database file ${file} cannot be written: the file, its folder or the disk is read-only for this user. Change that, or choose another file with --database.`,
    ),
  )
  const closed = join(folder, 'closed')
  mkdirSync(closed, { mode: 0o555 })
  expect(await startOnFile(join(closed, 'deep', 'm.db'), { account })).toEqual(
    expectedExit(
      `This user may not open the database file ${join(closed, 'deep', 'm.db')} or write to its folder. Change the permissions, or choose another file with --database.`,
    ),
  )
  expect(await startOnFile(join(closed, 'm.db'), { account })).toEqual(
    expectedExit(
      `The database file ${join(closed, 'm.db')} cannot be opened. Check that this user may read and write the file and its folder, or choose another file with --database.`,
    ),
  )
})

test('reports a key file or a write-ahead log without its database', async () => {
  const file = join(newFolder('start'), 'm.db')
  const advice = (what: string) => `Restore the database file from a backup, or move ${what} away to start with an empty database.`
  writeFileSync(`${file}.key`, 'a key that is long enough\n')
  expect(await startInProcess(file)).toEqual(
    expectedExit(`The database file ${file} is missing, but ${file}.key still exists. ${advice('that file')}`),
  )
  writeFileSync(`${file}-wal`, 'log')
  expect(await startInProcess(file)).toEqual(
    expectedExit(`The database file ${file} is missing, but ${file}-wal and ${file}.key still exist. ${advice('those files')}`),
  )
  rmSync(`${file}.key`)
  writeFileSync(file, '')
  expect(await startInProcess(file)).toEqual(expectedExit(`The database file ${file} is empty, but ${file}-wal still exists. ${advice('that file')}`))
  expect(readFileSync(`${file}-wal`, 'utf8')).toBe('log')
})

test('reports a key file beside a database without tables', async () => {
  const file = join(newFolder('start'), 'm.db')
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = wal')
  database.close()
  writeFileSync(`${file}.key`, 'a key that is long enough\n')
  expect(await startInProcess(file)).toEqual(
    expectedExit(
      `The database file ${file} has no tables, but its key file ${file}.key exists. Restore the database file from a backup, or move the key file away to start with an empty database.`,
    ),
  )
})

test('rejects invalid keys', async () => {
  const file = await migratedSqliteFile()
  writeFileSync(`${file}.key`, 'short\n')
  expect(await startInProcess(file)).toEqual(
    expectedExit(`The key file ${file}.key holds no valid key in line 1: an encryption key needs at least 16 characters. Restore it from a backup.`),
  )
  writeFileSync(`${file}.key`, '\n')
  expect(await startInProcess(file)).toEqual(expectedExit(`The key file ${file}.key is empty. Restore it from a backup.`))
  rmSync(`${file}.key`)
  mkdirSync(`${file}.key`)
  expect(await startInProcess(file)).toEqual(expectedExit(`The key file ${file}.key cannot be read (EISDIR). Make it readable for this user.`))
  rmSync(`${file}.key`, { recursive: true })
  expect(await startOnFile(file, { env: { MILLRACE_SERVER_ENCRYPTION_KEY: 'short' } })).toEqual(
    expectedExit('MILLRACE_SERVER_ENCRYPTION_KEY: An encryption key needs at least 16 characters; `openssl rand -base64 32` makes a good one.', 2),
  )
})

test('rejects an outdated schema when migration is off', async () => {
  const file = join(newFolder('start'), 'm.db')
  expect(await startInProcess(file, { MILLRACE_DATABASE_MIGRATE_ON_START: 'false' })).toEqual(
    expectedExit(
      'The database lacks migration 001_initial, and MILLRACE_DATABASE_MIGRATE_ON_START is off. Apply it with `millrace db migrate`, or turn the setting on for one start of this version.',
    ),
  )
})

test('prints the original error at log level debug', async () => {
  const file = join(newFolder('start'), 'm.db')
  writeFileSync(file, 'no database '.repeat(1000))
  const { code, stderr } = await startOnFile(file, { env: { MILLRACE_SERVER_LOG_LEVEL: 'debug' } })
  expect(code).toBe(22)
  expect(stderr).toContain('file is not a database')
})
