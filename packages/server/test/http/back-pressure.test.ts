import { connect as connectTcp } from 'node:net'
import { expect, test } from 'vitest'
import { connect, type SocketClient } from '../socket-client.ts'
import { startInMemoryApp, startRawClient } from './in-memory-app.ts'

const flow = JSON.stringify({ name: 'f' })
const jsonHeaders = { 'content-type': 'application/json', 'content-length': String(flow.length) }

test('rejects requests above the limit with 503 and answers health checks', async () => {
  const app = await startInMemoryApp({ MILLRACE_SERVER_REQUESTS_LIMIT: '2' })
  const send = await startRawClient(app)
  const held = Promise.withResolvers<void>()
  const blocker = app.context.commands.submit(() => held.promise)
  const waiting = [send('POST', '/api/flows/', jsonHeaders, flow), send('POST', '/api/flows/', jsonHeaders, flow)]
  // Both are in flight once a third one is rejected.
  for (let answer = await send('GET', '/api/version'); ; answer = await send('GET', '/api/version')) {
    if (answer.status === 200) continue
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, body: expect.stringContaining('"TOO_MANY_REQUESTS"') })
    break
  }
  expect((await send('GET', '/api/health')).status).toBe(200)
  expect((await send('GET', '/ready')).status).toBe(200)
  held.resolve()
  await blocker
  for (const answer of await Promise.all(waiting)) expect([200, 201]).toContain(answer.status)
  expect((await send('GET', '/api/version')).status).toBe(200)
})

test('forgets requests whose client has disconnected', async () => {
  const app = await startInMemoryApp({ MILLRACE_SERVER_REQUESTS_LIMIT: '1' })
  const send = await startRawClient(app)
  const { port } = app.server.server.address() as { port: number }
  const held = Promise.withResolvers<void>()
  const blocker = app.context.commands.submit(() => held.promise)
  const client = connectTcp(port, '127.0.0.1')
  client.write(`POST /api/flows/ HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${flow.length}\r\n\r\n${flow}`)
  while ((await send('GET', '/api/version')).status === 200);
  client.destroy()
  while ((await send('GET', '/api/version')).status === 503);
  held.resolve()
  await blocker
})

test('closes connections above the limit', async () => {
  const app = await startInMemoryApp({ MILLRACE_SERVER_CONNECTIONS_LIMIT: '1' })
  const { port } = new URL(await app.server.listen({ port: 0, host: '127.0.0.1' }))
  const open = () => {
    const socket = connectTcp(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    return socket
  }
  const first = open()
  await new Promise((resolve) => app.server.server.once('connection', resolve))
  const second = open()
  await new Promise((resolve) => second.once('close', resolve))
  first.write('GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n')
  expect(String(await new Promise((resolve) => first.once('data', resolve)))).toContain('200 OK')
  first.destroy()
})

test('disconnects slow WebSockets when the buffers of all are full, and no others', async () => {
  const app = await startInMemoryApp({ MILLRACE_SERVER_SEND_MEMORY_LIMIT_BYTES: String(1024 * 1024) })
  const subscribe = async (): Promise<SocketClient> => {
    const client = await connect(app, '/api/logs/out')
    client.send({ type: 'filter', filter: {} })
    await client.ping()
    return client
  }
  const [slow, quick] = [await subscribe(), await subscribe()]
  slow.pauseReading()
  const log = { name: 'n', level: 20, message: 'x'.repeat(100_000), timestamp: '2030-01-01T00:00:00Z' }
  let received = 0
  const reading = (async () => {
    for (; received < 30; received += 1) await quick.next()
  })()
  for (let n = 0; n < 30; n += 1) {
    await app.call('POST', '/api/logs/', [log])
    while (received < n) await new Promise((resolve) => setImmediate(resolve))
  }
  await reading
  slow.resumeReading()
  expect(await slow.closed).toMatchObject({ code: 1013 })
  expect(received).toBe(30)
})
