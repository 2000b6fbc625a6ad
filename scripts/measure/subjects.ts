import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { HttpConnection } from '../../packages/bench/src/http-connection.ts'
import { childrenOf, type ProcessGroups, readUsage } from '../../packages/bench/src/process-usage.ts'
import { freePort } from '../../packages/server/test/free-port.ts'
import { PostgresMonitor } from '../../packages/server/test/postgres/activity.ts'
import { startServerProcess } from '../../packages/server/test/server-process.ts'
import { limitCpu } from './cpu-limit.ts'
import type { BenchHost } from './host.ts'

/** A server under measurement. Its data stays between two starts. */
export interface Subject {
  readonly name: string
  start(): Promise<RunningSubject>
}

export interface RunningSubject {
  readonly urls: readonly string[]
  readonly groups: ProcessGroups
  readonly counters?: () => Promise<Readonly<Record<string, number>>>
  databaseBytes(): Promise<number>
  /** Called after the warm-up. */
  onWarm?(): void
  stop(): Promise<void>
}

export type SubjectName =
  | 'millrace-sqlite'
  | 'millrace-postgres'
  | 'millrace-postgres-2'
  | 'millrace-postgres-limited'
  | 'millrace-postgres-limited-replicas'
  | 'millrace-postgres-limited-processes'
  | 'before-sqlite'
  | 'before-postgres'
  | 'prototype'
  | 'reference-sqlite'
  | 'reference-postgres'

/** Creates a subject. `label` names its database: subjects with the same label share the data. */
export function createSubject(host: BenchHost, name: SubjectName, label: string): Subject {
  const file = join(host.folder, `${label}.db`)
  const sqliteBytes = async () => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const postgresUrl = () => host.createDatabase(label.replaceAll(/\W/g, '_'))
  const start: Readonly<Record<SubjectName, () => Promise<RunningSubject>>> = {
    'millrace-sqlite': async () => startMillrace([`sqlite:${file}`], { databaseBytes: sqliteBytes }),
    'millrace-postgres': async () => startOnPostgres(await postgresUrl(), (url, more) => startMillrace([url], more)),
    // Users are spread over both, as by a load balancer.
    'millrace-postgres-2': async () => startOnPostgres(await postgresUrl(), (url, more) => startMillrace([url, url], more)),
    'millrace-postgres-limited': async () => startOnPostgres(await postgresUrl(), (url, more) => startLimited([url], more)),
    'millrace-postgres-limited-replicas': async () => startOnPostgres(await postgresUrl(), (url, more) => startLimited([url, url], more)),
    'millrace-postgres-limited-processes': async () => startOnPostgres(await postgresUrl(), (url, more) => startLimited([url], more, 2)),
    'before-sqlite': () => startBefore(host, `sqlite:${file}`, { databaseBytes: sqliteBytes }),
    'before-postgres': async () => startOnPostgres(await postgresUrl(), (url, more) => startBefore(host, url, more)),
    prototype: () => startPrototype(file, sqliteBytes),
    'reference-sqlite': () => startReference(host, `sqlite+aiosqlite:///${file}`, { databaseBytes: sqliteBytes }),
    'reference-postgres': async () =>
      startOnPostgres(await postgresUrl(), (url, more) => startReference(host, url.replace(/^postgres:/, 'postgresql+asyncpg:'), more)),
  }
  return { name, start: start[name] }
}

type Extras = Pick<RunningSubject, 'databaseBytes' | 'counters'> & { readonly groups?: ProcessGroups; readonly close?: () => Promise<void> }

/** Database URL of a subject that a filler works on while its server is stopped. */
export function databaseUrlOf(host: BenchHost, name: SubjectName, label: string): string {
  return name.includes('sqlite') ? `sqlite:${join(host.folder, `${label}.db`)}` : host.databaseUrl(label.replaceAll(/\W/g, '_'))
}

async function startOnPostgres(url: string, start: (url: string, extras: Extras) => Promise<RunningSubject>): Promise<RunningSubject> {
  const monitor = await new PostgresMonitor(url).connect()
  const postmaster = await monitor.postmasterPid()
  return start(url, {
    groups: { database: [postmaster] },
    counters: async () => {
      const { walBytes, commits } = await monitor.activity()
      return { wal_bytes: walBytes, commits }
    },
    databaseBytes: () => monitor.databaseBytes(),
    close: () => monitor.close(),
  })
}

async function startMillrace(databaseUrls: readonly string[], { groups = {}, close, ...extras }: Extras, processes = 1): Promise<RunningSubject> {
  const servers: Awaited<ReturnType<typeof startServerProcess>>[] = []
  const stopAll = async () => {
    for (const server of servers) await server.kill('SIGTERM')
    await close?.()
  }
  try {
    for (const url of databaseUrls) servers.push(await startServerProcess(url, ['--processes', String(processes)]))
  } catch (error) {
    await stopAll()
    throw error
  }
  const pids = servers.map(({ child }) => child.pid as number)
  const written = async () => ({ written_bytes: readUsage(pids)?.writtenBytes ?? 0 })
  return {
    urls: servers.map(({ url }) => `${url}/api`),
    groups: { server: pids, ...groups },
    counters: written,
    ...extras,
    stop: stopAll,
  }
}

/**
 * Cores for each process. The client and the database need most of two cores, so that two processes would compete for the rest. With so little for each of
 * them, the processes are the limit, and the others have all that they need.
 */
const limitedCores = 1 / 3

async function startLimited(databaseUrls: readonly string[], extras: Extras, processes = 1): Promise<RunningSubject> {
  const running = await startMillrace(databaseUrls, extras, processes)
  const removals: (() => void)[] = []
  return {
    ...running,
    // Not earlier: with so little a server would compile its code for minutes.
    onWarm() {
      const commands = running.groups.server ?? []
      // The first process of several only hands connections to the others.
      const serving = processes === 1 ? commands : commands.flatMap(childrenOf)
      if (serving.length !== processes * commands.length) throw new Error(`Expected ${processes} processes of each command, found ${serving.length}`)
      for (const pid of serving) removals.push(limitCpu([pid], String(pid), limitedCores))
    },
    async stop() {
      await running.stop()
      for (const remove of removals) remove()
    },
  }
}

const prototypeScript = fileURLToPath(import.meta.resolve('@millrace/bench/prototype.ts'))

async function startPrototype(file: string, databaseBytes: () => Promise<number>): Promise<RunningSubject> {
  const child = spawn(process.execPath, [prototypeScript, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (piece: Buffer) => {
      const address = /ready at (\S+)/.exec(String(piece))?.[1]
      if (address) resolve(address)
    })
    child.once('exit', (code) => reject(new Error(`the prototype exited with ${code}`)))
  })
  return { urls: [`${url}/api`], groups: { server: [child.pid as number] }, databaseBytes, stop: () => endProcess(child) }
}

/** Another version may have other flags and another start script. */
async function startBefore(host: BenchHost, databaseUrl: string, extras: Extras): Promise<RunningSubject> {
  const read = (path: string) => readFileSync(join(host.before, path), 'utf8')
  const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } }
  const port = await freePort()
  const processes = read('docs/config.md').includes('MILLRACE_SERVER_PROCESSES') ? ['--processes', '1'] : []
  const args = ['--no-ui', '--port', String(port), '--database', databaseUrl, ...processes]
  // The script replaces the shell by the server, so that a signal reaches it.
  const child = spawn('/bin/sh', ['-c', `${scripts.start} "$@"`, 'sh', ...args], {
    cwd: host.before,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: `${join(host.before, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`, HOME: host.folder },
  })
  return untilHealthy(child, port, extras)
}

async function startReference(host: BenchHost, databaseUrl: string, extras: Extras): Promise<RunningSubject> {
  const port = await freePort()
  const home = join(host.folder, 'reference-home')
  const child = spawn(host.python, ['-m', 'prefect', 'server', 'start', '--host', '127.0.0.1', '--port', String(port), '--no-ui'], {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: {
      PATH: process.env.PATH ?? '',
      PREFECT_HOME: home,
      PREFECT_API_DATABASE_CONNECTION_URL: databaseUrl,
      PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
      PREFECT_LOGGING_LEVEL: 'ERROR',
      PREFECT_SERVER_LOGGING_LEVEL: 'ERROR',
    },
  })
  const close = async () => {
    await extras.close?.()
    rmSync(home, { recursive: true, force: true })
  }
  return untilHealthy(child, port, { ...extras, close })
}

/** A server that was started on this port, when it serves requests. */
async function untilHealthy(child: ChildProcess, port: number, { groups = {}, close, ...extras }: Extras): Promise<RunningSubject> {
  const url = `http://127.0.0.1:${port}/api`
  const stop = async () => {
    await endProcess(child)
    await close?.()
  }
  try {
    await waitUntilHealthy(url, child)
  } catch (error) {
    await stop()
    throw error
  }
  return { urls: [url], groups: { server: [child.pid as number], ...groups }, ...extras, stop }
}

const startMsMax = 180_000

async function waitUntilHealthy(url: string, child: ChildProcess): Promise<void> {
  const http = new HttpConnection(url, { timeoutMs: 2000 })
  for (const end = performance.now() + startMsMax; performance.now() < end && child.exitCode === null; await pause(100)) {
    const isHealthy = await http.get('/health').catch(() => false)
    if (isHealthy === true) return http.close()
  }
  const reason = child.exitCode === null ? `is not healthy after ${startMsMax / 1000} s` : `exited with ${child.exitCode} before it was healthy`
  throw new Error(`The server at ${url} ${reason}`)
}

const endMsMax = 20_000

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), endMsMax)
  await exited
  clearTimeout(timer)
}
