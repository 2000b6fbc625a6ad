import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { createServer } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migratedPostgres } from './databases.ts'
import { freePort } from './free-port.ts'
import { runUntilExit } from './run-until-exit.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const pollOptions = { timeout: 30_000 }

/** Linux only, like the other tests of processes. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A request on a connection of its own. */
const statusOf = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(url, { agent: new Agent({ keepAlive: false }) }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    }).on('error', reject)
  })

async function startGroup(database: string, args: readonly string[] = []): Promise<{ server: ServerProcess; pid: number; output: () => string }> {
  let errors = ''
  const env = { MILLRACE_SERVER_PROCESSES: '2', MILLRACE_SERVER_LOG_LEVEL: 'info' }
  const server = await startServerProcess(database, args, env, (text) => {
    errors += text
  })
  let log = ''
  server.child.stdout?.on('data', (piece: Buffer) => {
    log += piece.toString()
  })
  onTestFinished(() => void server.child.kill('SIGKILL'))
  return { server, pid: server.child.pid as number, output: () => log + errors }
}

test('several processes serve one address, are replaced when they die, and end together', { timeout: 60_000 }, async () => {
  const { url: database, drop } = await migratedPostgres()
  onTestFinished(drop)
  const { server, pid, output } = await startGroup(database)
  const first = childrenOf(pid)
  expect(first).toHaveLength(2)

  const client = new pg.Client({ connectionString: database })
  await client.connect()
  onTestFinished(() => client.end())
  const listeners = async () =>
    (await client.query(`select 1 from pg_stat_activity where application_name = 'millrace listener' and datname = current_database()`)).rowCount
  expect(await listeners()).toBe(2)

  const { id } = await server.post('/flows/', { name: 'shared' })
  process.kill(first[0] as number, 'SIGKILL')
  await expect.poll(() => output(), pollOptions).toMatch(/Process \d+ was ended by SIGKILL\. Another one starts in 0\.25 seconds/)
  // The other process serves all new connections meanwhile.
  for (let n = 0; n < 8; n += 1) expect(await statusOf(`${server.url}/api/flows/${id}`)).toBe(200)
  await expect.poll(() => output(), pollOptions).toMatch(/Process \d+ is ready/)
  const second = childrenOf(pid)
  expect(second).toHaveLength(2)
  expect(second).toContain(first[1])

  expect(await server.kill('SIGTERM')).toBe(0)
  expect(second.filter(isAlive)).toEqual([])
})

test('a process starts at once when none is left, however many died before', { timeout: 60_000 }, async () => {
  const { url: database, drop } = await migratedPostgres()
  onTestFinished(drop)
  // A fixed port: the primary gives up the one that the system chose when no process is left.
  const { server, pid, output } = await startGroup(database, ['--port', String(await freePort())])
  const count = (pattern: RegExp) => output().match(pattern)?.length ?? 0
  for (let round = 0; round < 3; round += 1) {
    const ready = count(/is ready/g)
    for (const child of childrenOf(pid)) process.kill(child, 'SIGKILL')
    await expect.poll(() => count(/is ready/g), pollOptions).toBeGreaterThan(ready)
  }
  expect(count(/Another one starts now/g)).toBeGreaterThanOrEqual(1)
  // The fifth and sixth death are followed by waits of four and eight seconds; somebody serves meanwhile.
  expect(await statusOf(`${server.url}/api/health`)).toBe(200)
})

test('the processes end when their primary is killed', { timeout: 60_000 }, async () => {
  const { url: database, drop } = await migratedPostgres()
  onTestFinished(drop)
  const { server, pid } = await startGroup(database)
  const members = childrenOf(pid)
  await server.kill('SIGKILL')
  await expect.poll(() => members.filter(isAlive), pollOptions).toEqual([])
})

test('an error at the start of a process ends the command with one message', { timeout: 60_000 }, async () => {
  const { url: database, drop } = await migratedPostgres()
  onTestFinished(drop)
  const holder = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => holder.once('listening', resolve))
  onTestFinished(() => void holder.close())
  const { port } = holder.address() as { port: number }
  const { code, stderr } = await runUntilExit(['--port', String(port), '--database', database, '--processes', '2'])
  expect(code).toBe(20)
  expect(stderr.trim()).toBe(`Port ${port} on 127.0.0.1 is in use by another program. Stop that program, or choose another port with --port.`)

  const missing = await runUntilExit(['--port', '0', '--database', `${database}_missing`, '--processes', '2'])
  expect(missing.code).toBe(22)
  expect(missing.stderr.trim().split('\n')).toEqual([expect.stringMatching(/has no database "test_\w+_missing"/)])
})

test('more than one process on SQLite is an error of the settings', async () => {
  const { code, stderr } = await runUntilExit(['--database', 'sqlite::memory:', '--processes', '2'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^Cannot start 2 processes on SQLite/)
})

test('/metrics adds up all processes, whichever answers', { timeout: 60_000 }, async () => {
  const { url: database, drop } = await migratedPostgres()
  onTestFinished(drop)
  const { server } = await startGroup(database)
  const requests = 20
  for (let n = 0; n < requests; n += 1) await statusOf(`${server.url}/api/health`)
  const counts = new Set<number>()
  for (let n = 0; n < 4; n += 1) {
    const text = await fetch(`${server.url}/metrics`, { headers: { connection: 'close' } }).then((response) => response.text())
    counts.add(Number(/^millrace_http_requests_total\{method="GET",route="\/health",status="200"\} (\d+)$/m.exec(text)?.[1]))
  }
  expect([...counts]).toEqual([requests])
})
