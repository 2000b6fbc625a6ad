import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { startApp } from '../setup.ts'

/** A server with one more route, that answers when released. */
async function startSlowServer(env: Record<string, string> = {}) {
  const app = await startApp('sqlite::memory:', { env: { MILLRACE_DATABASE_MIGRATE_ON_START: 'true', ...env } })
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  app.server.get('/slow', async () => {
    begin()
    await released
    return { written: await app.context.reads.kysely.selectFrom('flow').selectAll().execute() }
  })
  const { promise: closing, resolve: close } = Promise.withResolvers<void>()
  app.server.addHook('preClose', async () => close())
  const { port } = new URL(await app.server.listen({ port: 0, host: '127.0.0.1' }))
  return { app, begun, release, closing, port: Number(port) }
}

test('answers requests in flight with "connection: close", and 503 to those that arrive while it closes', async () => {
  const { app, begun, release, closing, port } = await startSlowServer()
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  socket.on('data', (data) => {
    heard += data
  })
  const ended = once(socket, 'close')
  socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n')
  await begun
  // Half a request, as new connections are not taken any more once it closes.
  const late = connect(port, '127.0.0.1')
  let ready = ''
  late.on('data', (data) => {
    ready += data
  })
  const lateEnded = once(late, 'close')
  const [lateSocket] = await once(app.server.server, 'connection')
  late.write('GET /api/flows/x HTTP/1.1\r\n')
  await vi.waitUntil(() => lateSocket.bytesRead > 0)

  const closed = app.close()
  await closing
  late.write('host: x\r\n\r\n')
  await lateEnded
  release()
  await closed
  await ended

  expect(heard).toMatch(/^HTTP\/1\.1 200 OK.*\r\nconnection: close\r\n.*\{"written":\[\]\}$/is)
  expect(ready).toMatch(/^HTTP\/1\.1 503 /)
  expect(ready).toMatch(/\r\nretry-after: 1\r\n/)
  expect(ready).toMatch(/\r\nconnection: close\r\n/i)
  expect(JSON.parse(ready!.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'CLOSING', exception_message: 'Service Unavailable' })
})

test('closes idle connections at once', async () => {
  const { app, port } = await startSlowServer()
  const socket = connect(port, '127.0.0.1')
  const answered = once(socket, 'data')
  socket.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n')
  await answered
  const ended = once(socket, 'close')
  await app.close()
  await ended
})

test('closes connections that never sent a request', async () => {
  const { app, port } = await startSlowServer()
  const socket = connect(port, '127.0.0.1')
  const ended = once(socket, 'close')
  socket.on('error', () => {})
  await once(app.server.server, 'connection')
  await app.close()
  await ended
})

test('answers requests while it drains, with "connection: close", and is not ready', async () => {
  const { app, port } = await startSlowServer({ MILLRACE_SERVER_SHUTDOWN_DELAY_SECONDS: '0.2' })
  const before = await fetch(`http://127.0.0.1:${port}/api/ready`)
  expect([before.status, before.headers.get('connection')]).toEqual([200, 'keep-alive'])
  const drained = app.drain()
  const during = await Promise.all(['ready', 'hello'].map((path) => fetch(`http://127.0.0.1:${port}/api/${path}`)))
  expect(during.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
    [503, 'close'],
    [200, 'close'],
  ])
  await drained
  await app.close()
})
