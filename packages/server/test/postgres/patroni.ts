import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import { createManagedProcess } from './managed-process.ts'
import { createPatroniNode, type PatroniNode } from './patroni-node.ts'
import { fastTemporaryFolder, temporaryFolder, unprivilegedAccount } from './unprivileged-account.ts'

const programs = { patroni: '/usr/bin/patroni', 'etcd-server': '/usr/bin/etcd', haproxy: '/usr/sbin/haproxy' } as const
const versions = '/usr/lib/postgresql'
const pollMs = 50
const readyMsMax = 120_000

/** Why Patroni cannot be run here: the missing Debian packages. Undefined if all are installed. */
export function missingPatroniPackages(): string | undefined {
  const missing = Object.entries(programs).flatMap(([name, program]) => (existsSync(program) ? [] : [name]))
  if (!postgresBinaries()) missing.push('postgresql')
  return missing.length === 0 ? undefined : `needs the Debian packages ${missing.join(', ')}: apt-get install ${missing.join(' ')}`
}

/** Of the Debian package: the npm package lacks pg_rewind, pg_basebackup, pg_controldata and pg_isready, which Patroni calls. */
export function postgresBinaries(): string | undefined {
  if (!existsSync(versions)) return undefined
  return readdirSync(versions)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(versions, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'pg_rewind')) && existsSync(join(folder, 'postgres')))
}

export interface PatroniCluster {
  /** The URL of the database through HAProxy, which leads to the primary. */
  readonly url: string
  readonly nodes: readonly PatroniNode[]
  /** Waits for a primary that accepts writes, other than the given node. */
  waitForPrimary(other?: PatroniNode): Promise<PatroniNode>
  /** Waits until all nodes follow one primary and one of them is a synchronous standby. */
  waitUntilHealthy(): Promise<PatroniNode>
  /** A planned switchover. Resolves when Patroni reports it done. */
  switchover(from: PatroniNode, to: PatroniNode): Promise<void>
  /** The output of all programs, for a failed test. */
  logs(): string
  stop(): Promise<void>
}

/** Starts etcd, Patroni nodes with PostgreSQL, and HAProxy, with the files of `deploy/high-availability`. */
export async function startPatroniCluster(nodeCount = 3): Promise<PatroniCluster> {
  const binaries = postgresBinaries()
  if (!binaries) throw new Error(`Patroni ${missingPatroniPackages()}`)
  const account = unprivilegedAccount()
  const folder = mkdtempSync(join(temporaryFolder(account, [fastTemporaryFolder(), tmpdir(), '/tmp', '/var/tmp']), 'millrace-patroni-'))
  chmodSync(folder, 0o755)
  if (account) chownSync(folder, account.uid, account.gid)
  const password = randomBytes(16).toString('hex')

  const [etcdPort, peerPort] = [await freePort(), await freePort()]
  const client = `http://127.0.0.1:${etcdPort}`
  const peer = `http://127.0.0.1:${peerPort}`
  const etcdArgs = ['--data-dir', join(folder, 'etcd'), '--listen-client-urls', client, '--advertise-client-urls', client, '--listen-peer-urls', peer]
  const etcdPeers = ['--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`, '--logger', 'zap']
  const etcd = createManagedProcess({
    program: programs['etcd-server'],
    args: [...etcdArgs, ...etcdPeers],
    cwd: folder,
    log: join(folder, 'etcd.log'),
    account,
  })
  etcd.start()

  const nodes: PatroniNode[] = []
  for (let n = 1; n <= nodeCount; n += 1) nodes.push(await createPatroniNode({ name: `pg${n}`, folder, account, etcdPort, binaries, password }))
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, haproxyConfiguration(port, nodes))
  const haproxy = createManagedProcess({ program: programs.haproxy, args: ['-f', file], cwd: folder, log: join(folder, 'haproxy.log'), account })

  const cluster: PatroniCluster = {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    nodes,
    async waitForPrimary(other) {
      return poll('a primary that accepts writes', async () => {
        const candidates = nodes.filter((node) => node !== other)
        const writable = await Promise.all(candidates.map((node) => node.acceptsWrites()))
        return candidates.find((_, index) => writable[index])
      })
    },
    async waitUntilHealthy() {
      return poll('a primary with all standbys', async () => {
        for (const node of nodes) {
          const members = await node.members()
          const leader = members?.find(({ role }) => role === 'leader')
          const standbys = members?.filter(({ role }) => role !== 'leader') ?? []
          const isStreaming = standbys.every(
            ({ state, timeline, lag }) => ['running', 'streaming'].includes(state) && timeline === leader?.timeline && Number(lag) === 0,
          )
          const hasAll = members?.length === nodes.length && standbys.some(({ role }) => role === 'sync_standby')
          if (leader?.state === 'running' && hasAll && isStreaming) return nodes.find(({ name }) => name === leader.name)
        }
        return undefined
      })
    },
    async switchover(from, to) {
      const response = await fetch(`http://127.0.0.1:${from.restPort}/switchover`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ leader: from.name, candidate: to.name }),
      })
      if (!response.ok) throw new Error(`Patroni refused the switchover: ${response.status} ${await response.text()}`)
    },
    logs: () => [...nodes.map(({ log }) => log), join(folder, 'haproxy.log')].map((path) => `--- ${path}\n${readFileSync(path, 'utf8')}`).join('\n'),
    async stop() {
      await haproxy.kill('SIGKILL')
      await Promise.all(nodes.map((node) => node.stop()))
      await etcd.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }

  try {
    await poll('etcd', async () => ((await isHealthy(`${client}/health`)) ? true : undefined))
    for (const node of nodes) node.start()
    haproxy.start()
    await cluster.waitUntilHealthy()
    await poll('HAProxy', async () => ((await canConnect(cluster.url)) ? true : undefined))
    return cluster
  } catch (error) {
    const logs = cluster.logs()
    await cluster.stop()
    throw new Error(`${error instanceof Error ? error.message : error}\n${logs}`)
  }
}

/** The shipped file, with the addresses of this machine. */
function haproxyConfiguration(port: number, nodes: readonly PatroniNode[]): string {
  const shipped = readFileSync(new URL('../../../../deploy/high-availability/haproxy.cfg', import.meta.url), 'utf8')
  const servers = nodes.map(({ name, postgresPort, restPort }) => `  server ${name} 127.0.0.1:${postgresPort} port ${restPort}`)
  return `${shipped.replace('bind :5000', `bind 127.0.0.1:${port}`).replaceAll(/^ {2}server .*\n/gm, '')}${servers.join('\n')}\n`
}

async function poll<R>(what: string, look: () => Promise<R | undefined>): Promise<R> {
  const deadline = performance.now() + readyMsMax
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`no ${what} within ${readyMsMax / 1000} s`)
    await pause(pollMs)
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    void client.end().catch(() => undefined)
  }
}
