import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import { copyBinaries, installedBinaries } from './binaries.ts'
import { copyPrimary } from './copy-primary.ts'
import type { Account } from './unprivileged-account.ts'

export interface PostgresProcessOptions {
  folder: string
  account: Account | undefined
  durable?: boolean
  settings?: Record<string, string>
  programs?: string
  standbyOf?: string
  signal: AbortSignal
  onReady(adminUrl: string, restart: (options: RestartOptions) => Promise<void>): void
}

export interface RestartOptions {
  /** SIGINT ends all sessions and stops with a checkpoint. SIGQUIT stops at once, so that the start begins with crash recovery. */
  readonly signal: 'SIGINT' | 'SIGQUIT'
  /** The time between the end and the start. */
  readonly downMs: number
}

const USER = 'millrace'
const START_ATTEMPTS = 3
const READY_MILLISECONDS = 60_000
const POLL_MILLISECONDS = 20

const COMMON_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  // Not UTC and not a whole hour, so that code which depends on the zone of the server fails in tests.
  timezone: 'Asia/Kathmandu',
}
const NON_DURABLE_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
}

/** Creates a database cluster in the folder and runs it until the signal aborts. */
export async function runPostgres({
  folder,
  account,
  durable,
  settings: given,
  programs,
  standbyOf,
  signal,
  onReady,
}: PostgresProcessOptions): Promise<void> {
  const data = join(folder, 'data')
  const password = standbyOf ? new URL(standbyOf).password : randomBytes(16).toString('hex')
  if (programs === undefined) await copyBinaries(installedBinaries(), folder)
  await mkdir(data, { mode: 0o700 })
  await writeFile(join(folder, 'password'), password, { mode: 0o600 })
  if (account) for (const path of [folder, data, join(folder, 'password')]) await chown(path, account.uid, account.gid)
  // SIGQUIT is the immediate shutdown of PostgreSQL. The data is removed next, so a final checkpoint is not needed.
  const run = { ...account, cwd: folder, env: {}, signal, killSignal: 'SIGQUIT' } as const

  // Sorts by ICU rules, as most production databases sort by a language: an `order by` that needs byte order must say so.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
  // Versions before 16 lack the setting, which makes logins faster.
  const fastLogin = programs === undefined ? ['--set', 'scram_iterations=1'] : []
  const access = ['-U', USER, `--pwfile=${join(folder, 'password')}`, '--auth=password', ...fastLogin]
  const log = join(folder, 'log')
  const start = (program: string, args: string[]) => {
    const output = openSync(log, 'a')
    const child = spawn(join(programs ?? join(folder, 'bin'), program), ['-D', data, ...args], { ...run, stdio: ['ignore', output, output] })
    closeSync(output)
    return trackExit(child)
  }
  let settings = given
  if (standbyOf) {
    settings = { ...(await copyPrimary(standbyOf, data)), ...given }
    if (account) await chownTree(data, account)
  }
  const initialised = standbyOf ? 0 : await start('initdb', [...access, ...locale, '--no-sync', '--no-instructions']).ended
  if (signal.aborted) return
  if (initialised !== 0) throw new Error(`initdb exited with ${initialised}\n${await readFile(log, 'utf8')}`)

  for (let attempt = 1; !signal.aborted; attempt++) {
    const port = await freePort()
    const wanted = Object.entries({ ...COMMON_SETTINGS, port: String(port), ...(durable ? {} : NON_DURABLE_SETTINGS), ...settings })
    const startServer = () =>
      start(
        'postgres',
        wanted.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      )
    let server = startServer()
    let restarting: Promise<void> | undefined
    const adminUrl = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`
    if (await isReady(adminUrl, server.isRunning)) {
      const restart = async ({ signal: how, downMs }: RestartOptions): Promise<void> => {
        server.kill(how)
        await server.ended
        await pause(downMs)
        if (signal.aborted) return
        server = startServer()
        if (!(await isReady(adminUrl, server.isRunning))) throw new Error(`PostgreSQL did not start again\n${await readFile(log, 'utf8')}`)
      }
      onReady(adminUrl, async (options) => {
        restarting = restart(options)
        await restarting
        restarting = undefined
      })
      do {
        await restarting
        await server.ended
      } while (restarting !== undefined && !signal.aborted)
      return
    }
    await server.ended
    const logoutput = await readFile(log, 'utf8')
    // Another process may have taken the port since the check.
    if (signal.aborted || attempt === START_ATTEMPTS || !logoutput.includes('could not bind'))
      throw new Error(`PostgreSQL did not start\n${logoutput}`)
  }
}

async function chownTree(folder: string, { uid, gid }: Account): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true })) await chown(join(folder, entry), uid, gid)
  await chown(folder, uid, gid)
}

function trackExit(child: ChildProcess) {
  let running = true
  const ended = new Promise<number | string>((resolve, reject) => {
    child.on('error', (error) => error.name !== 'AbortError' && reject(error))
    child.on('exit', (code, killedBy) => resolve(code ?? killedBy ?? 'nothing'))
  }).finally(() => {
    running = false
  })
  return { ended, isRunning: () => running, kill: (signal: NodeJS.Signals) => child.kill(signal) }
}

async function isReady(url: string, isRunning: () => boolean): Promise<boolean> {
  for (let waited = 0; isRunning() && waited < READY_MILLISECONDS; waited += POLL_MILLISECONDS) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return true
    } catch {
      await pause(POLL_MILLISECONDS)
    }
  }
  return false
}
