import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startInMemoryApp } from './in-memory-app.ts'

const authorization = 'authorization: Basic YTpi'
const flow = JSON.stringify({ name: 'f' })

/** Starts a server with a password. Returns a function that sends bytes and returns all that arrives until the condition holds or the server closes. */
async function startRaw() {
  const app = await startInMemoryApp({ MILLRACE_SERVER_API_AUTH_STRING: 'a:b', MILLRACE_SERVER_BODY_LIMIT_BYTES: '1000' })
  const port = Number(new URL(await app.server.listen({ port: 0, host: '127.0.0.1' })).port)
  return () => {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let read = ''
    let arrived = () => {}
    let isClosed = false
    socket.on('data', (chunk) => {
      read += String(chunk)
      arrived()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      isClosed = true
      arrived()
    })
    const readUntil = async (isEnough: (text: string) => boolean) => {
      while (!(isEnough(read) || isClosed)) await new Promise<void>((resolve) => (arrived = resolve))
      return read
    }
    return {
      send: (lines: readonly string[], body = '') =>
        socket.write(`${[...lines, 'host: localhost', 'content-type: application/json'].join('\r\n')}\r\n\r\n${body}`),
      sendBody: (body: string) => socket.write(body),
      readUntil,
      /** All until the connection is closed. */
      readAll: () => readUntil(() => false),
    }
  }
}

const expectHeaders = [`content-length: ${flow.length}`, 'expect: 100-continue']

test('asks for a body that the client announces when it is wanted', async () => {
  const client = (await startRaw())()
  client.send(['POST /api/flows/ HTTP/1.1', authorization, ...expectHeaders])
  expect(await client.readUntil((text) => text.endsWith('\r\n\r\n'))).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  client.sendBody(flow)
  expect(await client.readUntil((text) => text.includes('"name":"f"'))).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 Created/)
})

test.each<[string, number, readonly string[]]>([
  ['without a route', 404, ['POST /api/nothing HTTP/1.1', authorization, ...expectHeaders]],
  ['without a password', 401, ['POST /api/flows/ HTTP/1.1', ...expectHeaders]],
  ['with a large body', 413, ['POST /api/flows/ HTTP/1.1', authorization, 'content-length: 1001', 'expect: 100-continue']],
  ['with a chunked body and no route', 404, ['POST /api/nothing HTTP/1.1', authorization, 'transfer-encoding: chunked', 'expect: 100-continue']],
])('does not ask for the body of a request %s, and closes the connection', async (_name, status, lines) => {
  const client = (await startRaw())()
  client.send(lines)
  const answer = await client.readAll()
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(answer).toContain('connection: close')
})

test.each(['gzip, chunked', 'chunked, chunked', 'deflate, chunked', 'identity, chunked'])(
  'refuses a body with the transfer coding %s',
  async (coding) => {
    const client = (await startRaw())()
    client.send(['POST /api/flows/ HTTP/1.1', authorization, `transfer-encoding: ${coding}`], `${flow.length.toString(16)}\r\n${flow}\r\n0\r\n\r\n`)
    const answer = await client.readAll()
    expect(answer).toMatch(/^HTTP\/1.1 (501 Not Implemented|400 Bad Request)\r\n/)
    expect(answer).toContain('connection: close')
    if (coding === 'gzip, chunked') expect(answer).toContain('"UNSUPPORTED_TRANSFER_CODING"')
  },
)

test('accepts a chunked body in any case', async () => {
  const client = (await startRaw())()
  client.send(['POST /api/flows/ HTTP/1.1', authorization, 'transfer-encoding: Chunked'], `${flow.length.toString(16)}\r\n${flow}\r\n0\r\n\r\n`)
  expect(await client.readUntil((text) => text.includes('"name":"f"'))).toMatch(/^HTTP\/1.1 201 /)
})
