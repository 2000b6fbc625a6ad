import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import type { ReplicaStatus } from '../src/storage/pool.ts'
import { type Postgres, replicationSettings, startPostgres } from './postgres/launcher.ts'
import { startTcpProxy, type TcpProxy } from './postgres/tcp-proxy.ts'

const pollOptions = { timeout: 20_000 }

let primary: Postgres
let standby: Postgres
beforeAll(async () => {
  primary = await startPostgres({ settings: replicationSettings })
  standby = await startPostgres({ standbyOf: primary.adminUrl, settings: replicationSettings })
}, 60_000)
afterAll(async () => {
  await standby?.stop()
  await primary?.stop()
})

interface TestServer {
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<{ status: number; body: unknown }>
  status(): Promise<ReplicaStatus>
  readonly messages: string[]
  close(): Promise<void>
}

let database: string
let replica: string
beforeEach(async () => {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  database = await primary.createDatabase(name)
  replica = standby.url(name)
  await expect.poll(() => connect(replica).then((client) => client.end()), pollOptions).toBeUndefined()
})

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function startServer(readUrl: string, env: Record<string, string> = {}): Promise<TestServer> {
  const messages: string[] = []
  const stream = { write: (line: string) => void messages.push(JSON.parse(line).msg) }
  const config = readConfig({ MILLRACE_DATABASE_URL: database, MILLRACE_DATABASE_READ_URL: readUrl, ...env }, []).config
  const app = await buildApp({ config, logger: { level: 'info', stream } })
  onTestFinished(() => app.close())
  const call: TestServer['call'] = async (method, path, body) => {
    const response = await app.server.inject({ method, url: path, ...(body === undefined ? {} : { payload: body as object }) })
    return { status: response.statusCode, body: JSON.parse(response.body) }
  }
  return {
    call,
    status: async () => ((await call('GET', '/admin/settings')).body as { read_replica: ReplicaStatus }).read_replica,
    messages,
    close: () => app.close(),
  }
}

async function createRuns({ call }: TestServer, count: number): Promise<void> {
  const flow = (await call('POST', '/flows/', { name: 'f' })).body as { id: string }
  for (let n = 0; n < count; n += 1) {
    await call('POST', '/flow_runs/', { flow_id: flow.id, name: randomUUID(), state: { type: 'PENDING' } })
    // Each list has the run that was acknowledged just before.
    expect((await call('POST', '/flow_runs/count', {})).body).toBe(n + 1)
  }
}

test('lists and counts come from the replica and contain every earlier write', async () => {
  const server = await startServer(replica)
  expect(await server.status()).toMatchObject({ state: 'used', problem: null, maximum_lag_seconds: 5 })
  await createRuns(server, 40)
  for (const path of ['/flow_runs/filter', '/task_runs/filter', '/logs/filter', '/events/filter', '/deployments/count', '/artifacts/filter'])
    expect((await server.call('POST', path, {})).status).toBe(200)
  const status = await server.status()
  expect(status.replica_reads).toBeGreaterThan(30)
  expect(status.lag_seconds).toBeLessThan(5)
})

test('a server reads what another server has just written', async () => {
  const [one, two] = [await startServer(replica), await startServer(replica)]
  const flow = (await one.call('POST', '/flows/', { name: 'f' })).body as { id: string }
  for (let n = 1; n <= 20; n += 1) {
    await one.call('POST', '/flow_runs/', { flow_id: flow.id, name: randomUUID(), state: { type: 'PENDING' } })
    expect((await two.call('POST', '/flow_runs/count', {})).body).toBe(n)
  }
  expect((await two.status()).replica_reads).toBeGreaterThan(10)
})

test('clients that write and list at the same time read their own writes', async () => {
  const servers = [await startServer(replica), await startServer(replica)]
  const flow = (await (servers[0] as TestServer).call('POST', '/flows/', { name: 'f' })).body as { id: string }
  const client = async (index: number): Promise<void> => {
    for (let n = 0; n < 10; n += 1) {
      const [writer, reader] = [servers[index % 2], servers[(index + n) % 2]] as [TestServer, TestServer]
      const run = (await writer.call('POST', '/flow_runs/', { flow_id: flow.id, state: { type: 'PENDING' } })).body as { id: string }
      const { body } = await reader.call('POST', '/flow_runs/filter', { flow_runs: { id: { any_: [run.id] } } })
      expect(body).toMatchObject([{ id: run.id }])
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, index) => client(index)))
  const statuses = await Promise.all(servers.map(({ status }) => status()))
  expect(statuses.reduce((sum, { replica_reads }) => sum + replica_reads, 0)).toBeGreaterThan(0)
})

test('a replica that stands still is not used, its lag is shown, and it is used again when it has caught up', async () => {
  const server = await startServer(replica, { MILLRACE_DATABASE_READ_MAX_LAG_SECONDS: '1' })
  const admin = await connect(standby.adminUrl)
  onTestFinished(() => admin.end())
  await admin.query('select pg_wal_replay_pause()')
  await createRuns(server, 5)
  await expect.poll(async () => (await server.status()).state, pollOptions).toBe('behind')
  expect(await server.status()).toMatchObject({ problem: expect.stringMatching(/it is \d+\.\d s behind/), lag_bytes: expect.any(Number) })
  expect((await server.status()).lag_seconds).toBeGreaterThan(1)
  const { primary_reads: before } = await server.status()
  expect((await server.call('POST', '/flow_runs/count', {})).body).toBe(5)
  expect((await server.status()).primary_reads).toBeGreaterThan(before)
  await admin.query('select pg_wal_replay_resume()')
  await expect.poll(async () => (await server.status()).state, pollOptions).toBe('used')
  expect(server.messages.filter((message) => message.startsWith('The read replica'))).toEqual([
    expect.stringMatching(/^The read replica is not used, because it is \d+\.\d s behind/),
    expect.stringMatching(/^The read replica is used/),
  ])
})

test('the primary answers while the replica is unreachable', async () => {
  const proxy: TcpProxy = await startTcpProxy(replica)
  onTestFinished(() => proxy.close())
  const server = await startServer(proxy.url)
  await createRuns(server, 3)
  await proxy.refuseConnections()
  for (let n = 0; n < 5; n += 1) expect((await server.call('POST', '/flow_runs/count', {})).body).toBe(3)
  await expect.poll(async () => (await server.status()).state, pollOptions).toBe('unreachable')
  await proxy.acceptConnections()
  await expect.poll(async () => (await server.status()).state, pollOptions).toBe('used')
  // Packets are dropped, and no connection breaks.
  proxy.blackHole()
  expect((await server.call('POST', '/flow_runs/count', {})).body).toBe(3)
  await expect.poll(async () => (await server.status()).state, pollOptions).toBe('unreachable')
  const began = performance.now()
  expect((await server.call('POST', '/flow_runs/count', {})).body).toBe(3)
  expect(performance.now() - began).toBeLessThan(1000)
}, 40_000)

test('a server starts without its replica and rejects one of another database', async () => {
  const missing = new URL(replica)
  missing.port = '1'
  const server = await startServer(missing.href)
  expect(await server.status()).toMatchObject({ state: 'unreachable', lag_seconds: null })
  expect(server.messages).toContainEqual(expect.stringMatching(/^The read replica is not used, because .*ECONNREFUSED/))
  expect((await server.call('POST', '/flow_runs/count', {})).body).toBe(0)
  await expect(startServer(standby.adminUrl)).rejects.toThrow(/READ_URL leads to another database/)
})

test('a URL of the primary is not used as a replica', async () => {
  const server = await startServer(database)
  expect(await server.status()).toMatchObject({ state: 'unreachable', problem: 'it is not a replica' })
  expect((await server.call('POST', '/flow_runs/count', {})).body).toBe(0)
})
