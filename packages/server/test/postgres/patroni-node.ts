import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { parse, stringify } from 'yaml'
import { freePort } from '../free-port.ts'
import { createManagedProcess } from './managed-process.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import type { Account } from './unprivileged-account.ts'

/** What is cut off: all paths, or only those to etcd and to the other nodes, so that clients still reach the node. */
type Partition = 'all' | 'from other nodes'

export interface PatroniNode {
  readonly name: string
  readonly log: string
  /** The addresses for HAProxy. */
  readonly postgresPort: number
  readonly restPort: number
  start(): void
  /** Kills PostgreSQL with all its processes, and Patroni too unless `only` says otherwise. */
  kill(only?: 'postgres'): Promise<void>
  stop(): Promise<void>
  partition(how: Partition): void
  /** Ends the partition. Connections that were frozen are closed. */
  heal(): void
  /** Whether the node accepts writes now, asked past all proxies. */
  acceptsWrites(): Promise<boolean>
  /** What Patroni says of the whole cluster. Undefined without an answer. */
  members(): Promise<readonly Member[] | undefined>
}

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly timeline?: number
  readonly lag?: number | string
}

interface NodeOptions {
  readonly name: string
  readonly folder: string
  readonly account: Account | undefined
  readonly etcdPort: number
  readonly binaries: string
  readonly password: string
}

const quitMsMax = 5000
const quitPollMs = 50

const shipped = new URL('../../../../deploy/high-availability/patroni.yml', import.meta.url)

/**
 * One node: Patroni and its PostgreSQL, with the configuration that we ship and the addresses of this machine. Proxies are on all paths of the node, so
 * that it can be cut off: to etcd, from other nodes, and from clients.
 */
export async function createPatroniNode({ name, folder: parent, account, etcdPort, binaries, password }: NodeOptions): Promise<PatroniNode> {
  const folder = join(parent, name)
  const data = join(folder, 'data')
  mkdirSync(folder, { mode: 0o700 })
  const [postgresPort, restPort] = [await freePort(), await freePort()]
  const toEtcd = await startTcpProxy(`http://127.0.0.1:${etcdPort}`)
  const fromNodes = { postgres: await startTcpProxy(`http://127.0.0.1:${postgresPort}`), rest: await startTcpProxy(`http://127.0.0.1:${restPort}`) }
  const fromClients = { postgres: await startTcpProxy(`http://127.0.0.1:${postgresPort}`), rest: await startTcpProxy(`http://127.0.0.1:${restPort}`) }
  const proxies: readonly TcpProxy[] = [toEtcd, ...Object.values(fromNodes), ...Object.values(fromClients)]

  const configuration = parse(readFileSync(shipped, 'utf8'))
  configuration.name = name
  configuration.restapi = { listen: `127.0.0.1:${restPort}`, connect_address: hostOf(fromNodes.rest) }
  // Without this Patroni asks etcd for its address and goes past the proxy.
  configuration.etcd3 = { hosts: [hostOf(toEtcd)], use_proxies: true }
  Object.assign(configuration.postgresql, {
    listen: `127.0.0.1:${postgresPort}`,
    connect_address: hostOf(fromNodes.postgres),
    data_dir: data,
    bin_dir: binaries,
    pgpass: join(folder, 'pgpass'),
    // A killed server leaves shared memory behind unless it is a file of its folder.
    parameters: { unix_socket_directories: folder, shared_buffers: '64MB', max_wal_size: '256MB', dynamic_shared_memory_type: 'mmap' },
  })
  configuration.postgresql.authentication.superuser.password = password
  configuration.postgresql.pg_hba = configuration.postgresql.pg_hba.map((line: string) => line.replace('10.0.0.0/24', '127.0.0.1/32'))
  const file = join(folder, 'patroni.yml')
  const log = join(folder, 'log')
  writeFileSync(file, stringify(configuration))
  writeFileSync(log, '')
  if (account) for (const path of [folder, file, log]) chownSync(path, account.uid, account.gid)
  const patroni = createManagedProcess({ program: '/usr/bin/patroni', args: [file], cwd: folder, log, account })

  return {
    name,
    log,
    postgresPort: portOf(fromClients.postgres),
    restPort: portOf(fromClients.rest),
    start: () => patroni.start(),
    async kill(only) {
      // Patroni first, so that it does not see the end of PostgreSQL.
      if (only !== 'postgres') await patroni.kill('SIGKILL')
      killPostgres(data)
    },
    async stop() {
      await patroni.kill('SIGKILL')
      await quitPostgres(data)
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
    partition(how) {
      for (const proxy of how === 'all' ? proxies : [toEtcd, ...Object.values(fromNodes)]) proxy.blackHole()
    },
    heal() {
      for (const proxy of proxies) {
        proxy.allowNewConnections()
        proxy.closeConnections('reset')
      }
    },
    async acceptsWrites() {
      const client = new pg.Client({
        host: '127.0.0.1',
        port: postgresPort,
        user: 'postgres',
        password,
        connectionTimeoutMillis: 500,
        query_timeout: 500,
      })
      client.on('error', () => undefined)
      try {
        await client.connect()
        const { rows } = await client.query(`select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable`)
        return rows[0].writable === true
      } catch {
        return false
      } finally {
        void client.end().catch(() => undefined)
      }
    },
    async members() {
      try {
        const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(1000) })
        return ((await response.json()) as { members: Member[] }).members
      } catch {
        return undefined
      }
    },
  }
}

const hostOf = ({ url }: TcpProxy): string => new URL(url).host
const portOf = ({ url }: TcpProxy): number => Number(new URL(url).port)

/** Kills the postmaster and its children at once: a child that outlives it could still answer a client. */
function killPostgres(data: string): void {
  const postmaster = findPostmaster(data)
  if (postmaster === undefined) return
  for (const pid of [postmaster, ...childrenOf(postmaster)]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}

/** An immediate shutdown, which removes its shared memory. */
async function quitPostgres(data: string): Promise<void> {
  const postmaster = findPostmaster(data)
  if (postmaster === undefined) return
  process.kill(postmaster, 'SIGQUIT')
  for (let waitedMs = 0; waitedMs < quitMsMax && findPostmaster(data) !== undefined; waitedMs += quitPollMs) await pause(quitPollMs)
  killPostgres(data)
}

function findPostmaster(data: string): number | undefined {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  // A stale file may name a process of somebody else.
  return readProc(pid, 'cmdline').includes(data) ? pid : undefined
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  // The second field, the name, may contain spaces and is in parentheses.
  return pids.map(Number).filter((pid) => Number(readProc(pid, 'stat').split(') ').at(-1)?.split(' ')[1]) === parent)
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}
