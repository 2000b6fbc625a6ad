import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { migratedPostgres } from './databases.ts'
import { startLoadBalancer } from './load-balancer.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const pollOptions = { timeout: 30_000 }

async function startTestServer(url: string, env: Record<string, string>): Promise<ServerProcess> {
  const server = await startServerProcess(url, ['--no-services'], env)
  onTestFinished(() => void server.child.kill('SIGKILL'))
  return server
}

async function openConnection({ url }: ServerProcess): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const getRequest = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`

/** Stops the server. Returns its exit code and the duration. */
async function stopServer(server: ServerProcess, signal: NodeJS.Signals): Promise<{ code: number | null; seconds: number }> {
  const began = performance.now()
  const code = await server.kill(signal)
  return { code, seconds: (performance.now() - began) / 1000 }
}

test('exits with 0 before the end of the grace period with all kinds of open connections', async () => {
  const server = await startTestServer('sqlite::memory:', {})
  const idle = await openConnection(server)
  idle.write(getRequest('/api/health'))
  await once(idle, 'data')
  await openConnection(server)
  const halfHeaders = await openConnection(server)
  halfHeaders.write('GET /api/health HTTP/1.1\r\nhost: loc')
  const halfBody = await openConnection(server)
  halfBody.write('POST /api/flows/ HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"name":')

  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/events/out`, ['prefect'])
  const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
  await once(socket, 'open')

  const limits = '/v2/concurrency_limits'
  await server.post(`${limits}/`, { name: 'a', limit: 1 })
  await server.post(`${limits}/increment-with-lease`, { names: ['a'], slots: 1, lease_duration: 60 })
  const waiting = fetch(`${server.url}/api${limits}/increment-with-lease`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'wait=60' },
    body: JSON.stringify({ names: ['a'], slots: 1, lease_duration: 60, holder: { type: 'flow_run', id: randomUUID() } }),
  })
  await expect.poll(async () => (await fetch(`${server.url}/api${limits}/a/holders`)).json(), pollOptions).toMatchObject({ waiter_count: 1 })

  const { code, seconds } = await stopServer(server, 'SIGTERM')
  expect(code).toBe(0)
  expect(seconds).toBeLessThan(10)
  expect(await closed).toBe(1012)
  const { status, headers } = await waiting
  expect([status, headers.get('connection')]).toEqual([423, 'close'])
})

/** A client with a response larger than all buffers, of which it has read nothing yet. */
async function startWithUnreadResponse(env: Record<string, string>): Promise<{ server: ServerProcess; reader: Socket }> {
  const server = await startTestServer('sqlite::memory:', env)
  const { id } = await server.post('/artifacts/', { key: 'large', data: 'x'.repeat(largeBodyBytes) })
  const reader = await openConnection(server)
  reader.write(getRequest(`/api/artifacts/${id}`))
  await once(reader, 'readable')
  return { server, reader }
}

const largeBodyBytes = 15_000_000

test('exits with 0 after the grace period when a client has not read its response', async () => {
  const { server } = await startWithUnreadResponse({ MILLRACE_SERVER_SHUTDOWN_GRACE_SECONDS: '0.5' })
  const { code, seconds } = await stopServer(server, 'SIGTERM')
  expect(code).toBe(0)
  expect(seconds).toBeGreaterThan(0.5)
})

test('completes a response that a client reads during the shutdown', async () => {
  const { server, reader } = await startWithUnreadResponse({})
  const ending = stopServer(server, 'SIGTERM')
  // The listener is closed: the server waits only for this response.
  await expect
    .poll(
      () =>
        fetch(server.url).then(
          () => 'answers',
          () => 'gone',
        ),
      pollOptions,
    )
    .toBe('gone')
  let bytes = 0
  for await (const piece of reader) bytes += piece.length
  expect(bytes).toBeGreaterThan(largeBodyBytes)
  expect((await ending).code).toBe(0)
})

test('skips the drain delay on SIGINT and ignores a duplicate signal', async () => {
  const server = await startTestServer('sqlite::memory:', { MILLRACE_SERVER_SHUTDOWN_DELAY_SECONDS: '600' })
  server.child.kill('SIGINT')
  server.child.kill('SIGINT')
  expect((await stopServer(server, 'SIGINT')).code).toBe(0)
})

test('clients of a load balancer see no error when one of two servers stops under load', async () => {
  const { url: database, drop } = await migratedPostgres()
  onTestFinished(drop)
  const env = { MILLRACE_SERVER_SHUTDOWN_DELAY_SECONDS: '2' }
  const [leaving, staying] = await Promise.all([startTestServer(database, env), startTestServer(database, env)])
  const balancer = await startLoadBalancer([leaving.url, staying.url], 100)
  onTestFinished(() => balancer.close())

  const answers = new Map<number, number>()
  let isOver = false
  const call = async (path: string, body: unknown): Promise<{ id: string }> => {
    const response = await fetch(`${balancer.url}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    answers.set(response.status, (answers.get(response.status) ?? 0) + 1)
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return (await response.json()) as { id: string }
  }
  const flow = await call('/flows/', { name: 'f' })
  const client = async (): Promise<void> => {
    while (!isOver) {
      const run = await call('/flow_runs/', { flow_id: flow.id, state: { type: 'PENDING' } })
      await call(`/flow_runs/${run.id}/set_state`, { state: { type: 'RUNNING' } })
    }
  }
  const clients = Array.from({ length: 8 }, () => client().catch(() => undefined))
  onTestFinished(() => {
    isOver = true
  })
  await expect.poll(() => balancer.requestCounts.get(leaving.url), pollOptions).toBeGreaterThan(50)
  const { code } = await stopServer(leaving, 'SIGTERM')
  const sentBefore = balancer.requestCounts.get(staying.url) ?? 0
  await expect.poll(() => balancer.requestCounts.get(staying.url), pollOptions).toBeGreaterThan(sentBefore + 50)
  isOver = true
  await Promise.all(clients)

  expect({ code, errors: balancer.errors, statuses: [...answers.keys()].sort() }).toEqual({ code: 0, errors: [], statuses: [201] })
  expect((await stopServer(staying, 'SIGINT')).code).toBe(0)
}, 120_000)
