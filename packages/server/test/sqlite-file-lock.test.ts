import { spawnSync } from 'node:child_process'
import { statSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { newFolder } from './databases.ts'
import { freePort } from './free-port.ts'
import { type ProcessExit, runUntilExit } from './run-until-exit.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const command = fileURLToPath(new URL('../../millrace/bin/millrace.mjs', import.meta.url))

const newDatabasePath = (): string => join(newFolder('lock'), 'm.db')

/** The message without the time. */
const inUseError = (file: string, who: string, pid: number | undefined): ProcessExit => ({
  code: 21,
  stdout: '',
  stderr: `The database ${file} is in use by ${who} (process ${pid} on ${hostname()}, since TIME). Stop that process first, or choose another database with --database; several servers can share a PostgreSQL database, not a SQLite file.\n`,
})

const maskTime = (ended: ProcessExit): ProcessExit => ({
  ...ended,
  stderr: ended.stderr.replace(/since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\)/, 'since TIME)'),
})

const startOnFile = async (file: string, ...args: string[]): Promise<ProcessExit> =>
  maskTime(await runUntilExit(['--port', '0', '--database', `sqlite:${file}`, ...args]))

describe('beside a running server', () => {
  const file = newDatabasePath()
  let first: ServerProcess
  let who: string

  beforeAll(async () => {
    const port = await freePort()
    first = await startServerProcess(`sqlite:${file}`, ['--no-services', '--port', String(port)])
    who = `the server at http://127.0.0.1:${port}`
  })

  afterAll(() => void first.child.kill('SIGKILL'))

  test('rejects a second server and names the holder of the lock', async () => {
    expect(await startOnFile(file)).toEqual(inUseError(file, who, first.child.pid))
    // The first server still works.
    await first.post('/flows/', { name: 'f' })
  })

  test('rejects a server with --services-only', async () => {
    expect(await startOnFile(file, '--services-only')).toEqual(inUseError(file, who, first.child.pid))
  })

  test('rejects a server that opens the file through a link', async () => {
    const link = newDatabasePath()
    symlinkSync(file, link)
    expect(await startOnFile(link)).toEqual(inUseError(link, who, first.child.pid))
  })

  test('rejects commands that write, and lets other programs read', () => {
    const { status, stderr } = spawnSync(process.execPath, [command, 'secrets', 'rotate', '--database', `sqlite:${file}`], { encoding: 'utf8' })
    expect(maskTime({ code: status, stdout: '', stderr })).toEqual(inUseError(file, who, first.child.pid))
    const reader = new DatabaseSync(file, { readOnly: true })
    expect(reader.prepare('select count(*) as flows from flow').get()).toEqual({ flows: 1 })
    reader.close()
  })

  test('starts after the first server was killed', async () => {
    await first.kill('SIGKILL')
    const { config } = readConfig({ MILLRACE_DATABASE_URL: `sqlite:${file}` }, [])
    const next = await buildApp({ config })
    expect((await next.server.inject({ method: 'POST', url: '/flows/count' })).json()).toBe(1)
    await next.close()
    expect(statSync(`${file}.lock`).mode & 0o777).toBe(0o600)
  })
})

test('rejects a second server in the same process, and releases the lock when the first closes', async () => {
  const { config } = readConfig({ MILLRACE_DATABASE_URL: `sqlite:${newDatabasePath()}` }, [])
  const first = await buildApp({ config })
  await expect(buildApp({ config })).rejects.toMatchObject({ name: 'StartupError', exitCode: 21 })
  // The failed start must not release the lock of the first server.
  await expect(buildApp({ config })).rejects.toMatchObject({ exitCode: 21 })
  await first.close()
  await (await buildApp({ config })).close()
})

test('replaces a corrupt lock file', async () => {
  const file = newDatabasePath()
  writeFileSync(`${file}.lock`, 'spoilt '.repeat(1000))
  const { config } = readConfig({ MILLRACE_DATABASE_URL: `sqlite:${file}` }, [])
  const app = await buildApp({ config })
  await expect(buildApp({ config })).rejects.toMatchObject({ exitCode: 21 })
  await app.close()
})

test('does not lock in-memory databases', async () => {
  const { config } = readConfig({ MILLRACE_DATABASE_URL: 'sqlite::memory:' }, [])
  const apps = [await buildApp({ config }), await buildApp({ config })]
  for (const app of apps) await app.close()
})
