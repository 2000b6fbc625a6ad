import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { migratedPostgres } from './databases.ts'
import { startPostgres } from './postgres/launcher.ts'
import { startTcpProxy } from './postgres/tcp-proxy.ts'
import { isFullProof, proofSize, reportFigures } from './proof-size.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { type Attempt, slowestMs, startWriteLoad } from './write-load.ts'

/** The promised times, plus a margin for a busy machine. */
const responseMsMax = 5000 + proofSize(10_000, 3000)
const recoveryMsMax = proofSize(20_000, 10_000)

/** 404: this server runs without fsync, so that a crash may lose the last commits and with them a run that a client created. */
const isExpected = ({ status }: Attempt): boolean => (status >= 200 && status < 300) || status === 404
const isUnavailable = ({ status, retryAfter }: Attempt): boolean => status === 503 && Number(retryAfter) > 0

const findUnexpected = (attempts: readonly Attempt[]): Attempt[] => attempts.filter((attempt) => !isExpected(attempt) && !isUnavailable(attempt))

async function startBehindProxy() {
  const { url, drop } = await migratedPostgres()
  const proxy = await startTcpProxy(url)
  const server = await startServerProcess(proxy.url, [], { MILLRACE_SERVER_LOG_LEVEL: 'fatal' })
  onTestFinished(async () => {
    await server.kill('SIGKILL')
    await proxy.close()
    await drop()
  })
  const { id: flowId } = await server.post('/flows/', { name: 'shared' })
  const load = startWriteLoad(server, { clients: 8, flowId, timeoutMs: 20_000 })
  onTestFinished(() => load.stop())
  return { url, proxy, server, load }
}

const statusOf = async ({ url }: ServerProcess, path: string): Promise<number> => (await fetch(`${url}/api${path}`)).status

/** Milliseconds from now until writes succeed again. */
async function measureRecoveryMs(load: ReturnType<typeof startWriteLoad>): Promise<number> {
  const began = performance.now()
  await load.waitForSuccesses(10)
  return Math.round(performance.now() - began)
}

/** Process ids of the connections on which servers listen for notifications. */
async function listListenerPids(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    `select pid from pg_stat_activity where application_name = 'millrace listener' and datname = current_database()`,
  )
  await client.end()
  return rows.map(({ pid }) => pid)
}

test('a network that drops packets causes 503 responses in time and normal ones soon after', { timeout: 120_000 }, async () => {
  const { url, proxy, server, load } = await startBehindProxy()
  await load.waitForSuccesses(20)
  const before = await listListenerPids(url)
  expect(before).toHaveLength(1)
  for (let n = 0; n < proofSize(1, 5); n += 1) {
    proxy.blackHole()
    await vi.waitFor(async () => expect(await statusOf(server, '/ready')).toBe(503), { timeout: 10_000 })
    if (isFullProof) await pause(5000)
    expect(await statusOf(server, '/ready')).toBe(503)
    expect(await statusOf(server, '/health')).toBe(200)
    proxy.allowNewConnections()
    const back = await measureRecoveryMs(load)
    reportFigures(`back ${back} ms after the network`)
    expect(back).toBeLessThan(recoveryMsMax)
    await vi.waitFor(async () => expect(await statusOf(server, '/ready')).toBe(200), { timeout: recoveryMsMax })
  }
  // The database still counts the old connection: its end did not get through.
  await vi.waitFor(async () => expect((await listListenerPids(url)).filter((pid) => !before.includes(pid))).not.toEqual([]), {
    timeout: recoveryMsMax,
  })
  reportFigures(`slowest of ${load.attempts.length} requests: ${slowestMs(load.attempts)} ms`)
  expect(findUnexpected(load.attempts)).toEqual([])
  expect(load.attempts.filter(isUnavailable).length).toBeGreaterThan(0)
  expect(slowestMs(load.attempts)).toBeLessThan(responseMsMax)

  proxy.blackHole()
  await load.waitForNextRound()
  const ended = server.kill('SIGTERM')
  expect(await ended).toBe(0)
})

test('a short network outage delays requests and fails none', { timeout: 60_000 }, async () => {
  const { proxy, load } = await startBehindProxy()
  await load.waitForSuccesses(20)
  proxy.blackHole()
  // Longer than the idle timeout of a transaction (900 ms), shorter than the timeout of the watchdog (2 s).
  await pause(1300)
  proxy.resume()
  await load.waitForNextRound()
  expect(load.attempts.filter((attempt) => !isExpected(attempt))).toEqual([])
})

test('dead connections are replaced and their uncommitted transactions are repeated', { timeout: 60_000 }, async () => {
  const { proxy, load } = await startBehindProxy()
  await load.waitForSuccesses(50)
  proxy.blackHole()
  proxy.allowNewConnections()
  await load.waitForNextRound()
  await load.waitForSuccesses(50)
  reportFigures(`slowest of ${load.attempts.length} requests: ${slowestMs(load.attempts)} ms; ${load.attempts.filter(isUnavailable).length} got 503`)
  expect(findUnexpected(load.attempts)).toEqual([])
  expect(slowestMs(load.attempts)).toBeLessThan(responseMsMax)
})

test('closed, reset or refused connections cause 503 responses and no other errors', { timeout: 60_000 }, async () => {
  const { proxy, server, load } = await startBehindProxy()
  for (let n = 0; n < proofSize(6, 40); n += 1) {
    await load.waitForSuccesses(20)
    proxy.closeConnections(n % 2 === 0 ? 'close' : 'reset')
  }
  await load.waitForSuccesses(20)
  await proxy.refuseConnections()
  await load.waitForNextRound()
  expect(await statusOf(server, '/ready')).toBe(503)
  await proxy.acceptConnections()
  expect(await measureRecoveryMs(load)).toBeLessThan(recoveryMsMax)
  expect(findUnexpected(load.attempts)).toEqual([])
  expect(load.attempts.filter(isUnavailable).length).toBeGreaterThan(0)
  await load.stop()
  expect(await server.kill('SIGTERM')).toBe(0)
})

test('a database server that crashes and recovers causes 503 responses and no other errors', { timeout: 120_000 }, async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const server = await startServerProcess(await postgres.createDatabase('crashing'), [], { MILLRACE_SERVER_LOG_LEVEL: 'fatal' })
  onTestFinished(() => server.kill('SIGKILL').then(() => undefined))
  const { id: flowId } = await server.post('/flows/', { name: 'shared' })
  const load = startWriteLoad(server, { clients: 8, flowId, timeoutMs: 20_000 })
  onTestFinished(() => load.stop())
  for (let n = 0; n < proofSize(2, 10); n += 1) {
    await load.waitForSuccesses(50)
    const client = new pg.Client({ connectionString: postgres.adminUrl })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query(`select pid from pg_stat_activity where application_name = 'millrace' limit 1`)
    // PostgreSQL ends all sessions and goes through recovery.
    execFileSync('kill', ['-KILL', String(rows[0].pid)])
    await client.end().catch(() => undefined)
    expect(await measureRecoveryMs(load)).toBeLessThan(recoveryMsMax * 2)
  }
  await load.stop()
  reportFigures(`${load.attempts.filter(isUnavailable).length} of ${load.attempts.length} requests got 503; slowest ${slowestMs(load.attempts)} ms`)
  expect(findUnexpected(load.attempts)).toEqual([])
  expect(load.attempts.filter(isUnavailable).length).toBeGreaterThan(0)
})
