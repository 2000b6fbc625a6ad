import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startApp, type TestApp } from '../setup.ts'
import { startInMemoryApp } from './in-memory-app.ts'

const megabyte = 1024 * 1024

/** Connections to a server on which bodies can be left unfinished. */
async function openRawConnection(app: TestApp) {
  const { port } = new URL(await app.server.listen({ port: 0, host: '127.0.0.1' }))
  return async (head: string, body: Buffer | string = '') => {
    const socket = connect(Number(port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(`${head}\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`)
    socket.write(body)
    return socket
  }
}

/** What the server says until it ends the connection, or until it has said so much. */
async function readResponse(socket: Socket, until?: RegExp): Promise<string> {
  let text = ''
  for await (const chunk of socket) {
    text += chunk
    if (until?.test(text)) break
  }
  return text
}

const contentLengthHeader = (bytes: number) => `Content-Length: ${bytes}\r\n\r\n`

test.each([
  ['a path that nobody serves', 'POST /api/nothing HTTP/1.1', 404],
  ['a path that takes another method', 'PUT /api/flows/filter HTTP/1.1', 405],
  ['a caller without credentials', 'POST /api/flows/filter HTTP/1.1', 401],
  ['a question of more than two megabytes', 'POST /api/flows/filter HTTP/1.1\r\nAuthorization: Basic YTpi', 413],
  ['an encoding that is not taken', 'POST /api/flows/filter HTTP/1.1\r\nAuthorization: Basic YTpi\r\nContent-Encoding: gzip', 415],
])('answers before the body is read and closes the connection: %s', async (_name, head, status) => {
  const connection = await openRawConnection(await startInMemoryApp({ MILLRACE_SERVER_API_AUTH_STRING: 'a:b' }))
  const socket = await connection(head, `${contentLengthHeader(15 * megabyte)}{`)
  const answer = await readResponse(socket)
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(answer).toMatch(/\r\nconnection: close\r\n/i)
})

test('keeps the connection after a small body that was not read', async () => {
  const connection = await openRawConnection(await startInMemoryApp())
  const socket = await connection('POST /api/nothing HTTP/1.1', `${contentLengthHeader(2)}{}`)
  expect(await readResponse(socket, /\}$/)).not.toMatch(/\r\nconnection: close\r\n/i)
})

test('delivers the response to a client that is still sending', async () => {
  const connection = await openRawConnection(await startInMemoryApp())
  const socket = await connection('POST /api/nothing HTTP/1.1', contentLengthHeader(4 * megabyte))
  for (let sent = 0; sent < 4 && !socket.destroyed; sent += 1) socket.write(Buffer.alloc(megabyte, 0x20))
  expect(await readResponse(socket)).toMatch(/^HTTP\/1.1 404 /)
})

test('rejects a body that stalls and frees its memory', async () => {
  const app = await startInMemoryApp({ MILLRACE_SERVER_BODY_TIMEOUT_SECONDS: '0.1' })
  const connection = await openRawConnection(app)
  const socket = await connection('POST /api/flows/filter HTTP/1.1', `${contentLengthHeader(100_000)}{"limit":`)
  const answer = await readResponse(socket)
  expect(answer).toMatch(/^HTTP\/1.1 408 /)
  expect(answer).toContain('BODY_TOO_SLOW')
})

test('rejects a body that is too slow', async () => {
  const app = await startInMemoryApp({ MILLRACE_SERVER_BODY_TIMEOUT_SECONDS: '0.2' })
  const connection = await openRawConnection(app)
  const socket = await connection('POST /api/flows/filter HTTP/1.1', contentLengthHeader(100_000))
  const dribble = setInterval(() => socket.write(' '), 10)
  onTestFinished(() => clearInterval(dribble))
  expect(await readResponse(socket)).toMatch(/^HTTP\/1.1 408 /)
})

test('limits the memory of all bodies, still accepts small ones, and frees it at their end', async () => {
  const app = await startInMemoryApp({ MILLRACE_SERVER_BODY_MEMORY_LIMIT_BYTES: String(8 * megabyte) })
  const connection = await openRawConnection(app)
  const start = () =>
    connection(
      'POST /api/flows/bulk_delete HTTP/1.1',
      Buffer.concat([Buffer.from(contentLengthHeader(5 * megabyte)), Buffer.alloc(4 * megabyte, 0x20)]),
    )
  const two = await Promise.all([start(), start()])
  const others = two.map(async (socket) => ({ socket, answer: await readResponse(socket, /[\]}]$/) }))
  const refused = await Promise.race(others)
  expect(refused.answer).toMatch(/^HTTP\/1.1 503 /)
  expect(refused.answer).toMatch(/\r\nretry-after: 1\r\n/i)
  expect((await app.call('POST', '/flows/filter', {})).status).toBe(200)
  const other = two.find((socket) => socket !== refused.socket) as Socket
  other.write(Buffer.alloc(megabyte, 0x20))
  // An empty body is none.
  expect(await others[two.indexOf(other)]).toMatchObject({ answer: expect.stringMatching(/^HTTP\/1.1 200 /) })
  const again = await start()
  again.write(Buffer.alloc(megabyte, 0x20))
  expect(await readResponse(again, /\}$/)).toMatch(/^HTTP\/1.1 200 /)
})

test('frees the memory of an interrupted body', async () => {
  const app = await startInMemoryApp({ MILLRACE_SERVER_BODY_MEMORY_LIMIT_BYTES: String(2 * megabyte) })
  const connection = await openRawConnection(app)
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const socket = await connection(
      'POST /api/flows/bulk_delete HTTP/1.1',
      Buffer.concat([Buffer.from(contentLengthHeader(3 * megabyte)), Buffer.alloc(megabyte, 0x20)]),
    )
    // An answer to another request shows that the server has read on.
    await app.call('GET', '/health')
    socket.destroy()
    await once(socket, 'close')
  }
  const name = 'x'.repeat(megabyte)
  await vi.waitFor(async () => expect((await app.call('POST', '/flows/filter', { flows: { name: { any_: [name] } } })).status).toBe(200))
})

test('reads a large body in slices and answers other requests meanwhile', async () => {
  const app = await startApp('sqlite::memory:', { env: { MILLRACE_DATABASE_MIGRATE_ON_START: 'true' } })
  onTestFinished(() => app.close())
  const body = `{"data":[${Array.from({ length: 200_000 }, () => '{"a":1.0}').join(',')}]}`
  let isDone = false
  const large = app.call('POST', '/artifacts/', body).then((answer) => {
    isDone = true
    return answer
  })
  let meanwhile = 0
  while (!isDone) {
    await app.call('GET', '/health')
    await new Promise((resolve) => setImmediate(resolve))
    meanwhile += 1
  }
  expect((await large).status).toBe(201)
  expect(meanwhile).toBeGreaterThan(10)
})
