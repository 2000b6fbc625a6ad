import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startApp } from '../setup.ts'

/** A server with one more route, which answers when it is told to. */
async function slowServer() {
  const app = await startApp('sqlite::memory:', { env: { MILLRACE_DATABASE_MIGRATE_ON_START: 'true' } })
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  app.server.get('/slow', async () => {
    begin()
    await told
    return { written: await app.parts.reads.kysely.selectFrom('flow').selectAll().execute() }
  })
  const { promise: closing, resolve: close } = Promise.withResolvers<void>()
  app.server.addHook('preClose', async () => close())
  const { port } = new URL(await app.server.listen({ port: 0, host: '127.0.0.1' }))
  return { app, begun, tell, closing, port: Number(port) }
}

test('while the server closes, requests in flight come to their end and others are 503', async () => {
  const { app, begun, tell, closing, port } = await slowServer()
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  socket.on('data', (data) => {
    heard += data
  })
  const ended = once(socket, 'close')
  socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n')
  await begun

  const closed = app.close()
  await closing
  // On the same connection: new ones are not taken any more.
  const received = once(app.server.server, 'request')
  socket.write('GET /api/ready HTTP/1.1\r\nhost: x\r\n\r\n')
  await received
  tell()
  await closed
  await ended

  const [slow, ready] = heard.split(/(?=HTTP\/1\.1 )/)
  expect(slow).toMatch(/^HTTP\/1\.1 200 OK.*\{"written":\[\]\}$/s)
  expect(ready).toMatch(/^HTTP\/1\.1 503 /)
  expect(ready).toMatch(/\r\nretry-after: 1\r\n/)
  expect(ready).toMatch(/\r\nconnection: close\r\n/i)
  expect(JSON.parse(ready!.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'CLOSING', exception_message: 'Service Unavailable' })
})

test('connections on which nothing is asked do not hold up the end', async () => {
  const { app, port } = await slowServer()
  const socket = connect(port, '127.0.0.1')
  const answered = once(socket, 'data')
  socket.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n')
  await answered
  const ended = once(socket, 'close')
  await app.close()
  await ended
})
