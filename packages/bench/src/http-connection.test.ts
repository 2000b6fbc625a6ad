import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { HttpConnection, StatusError } from './http-connection.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n42'

/** Serves whole requests with a function of their text and of the number of requests so far. */
async function serve(answer: (request: string, number: number, socket: Socket) => string | undefined): Promise<string> {
  let requests = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (piece) => {
      requests += 1
      const text = answer(piece.toString(), requests, socket)
      if (text !== undefined) socket.write(text)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`
}

function open(url: string, options?: ConstructorParameters<typeof HttpConnection>[1]): HttpConnection {
  const http = new HttpConnection(url, options)
  cleanups.push(() => http.close())
  return http
}

test('sends a body with its length in bytes and the fixed headers', async () => {
  const seen: string[] = []
  const url = await serve((request) => {
    seen.push(request)
    return ok
  })
  const http = open(url, { headers: { authorization: 'Bearer key' } })
  expect(await http.post('/flows/', { name: 'ä' })).toBe(42)
  expect(await http.get('/health')).toBe(42)
  const host = new URL(url).host
  expect(seen).toEqual([
    `POST /api/flows/ HTTP/1.1\r\nhost: ${host}\r\naccept: application/json\r\nauthorization: Bearer key\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\r\n{"name":"ä"}`,
    `GET /api/health HTTP/1.1\r\nhost: ${host}\r\naccept: application/json\r\nauthorization: Bearer key\r\n\r\n`,
  ])
})

test('rejects a header that would split the request', () => {
  expect(() => new HttpConnection('http://127.0.0.1', { headers: { authorization: 'a\r\nb: c' } })).toThrow('authorization')
})

test('repeats a request on a new connection if the server closed the idle one', async () => {
  const url = await serve((_request, number, socket) => (number === 2 ? void socket.destroy() : ok))
  const http = open(url)
  expect([await http.get('/a'), await http.get('/b')]).toEqual([42, 42])
})

test('does not repeat a request whose answer has begun', async () => {
  const requests: number[] = []
  const url = await serve((_request, number, socket) => {
    requests.push(number)
    if (number === 1) return ok
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nfour')
    return undefined
  })
  const http = open(url)
  await http.get('/a')
  await expect(http.get('/b')).rejects.toThrow('GET /b: the connection ended within the answer')
  expect(requests).toEqual([1, 2])
})

test('repeats a request that gets 503 as often as it may', async () => {
  const url = await serve((_request, number) => (number < 3 ? 'HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy' : ok))
  await expect(open(url).get('/a')).rejects.toEqual(new StatusError('GET', '/a', { status: 503, body: Buffer.from('busy') }))
  expect(await open(url, { retries: 3 }).get('/a')).toBe(42)
})

test('sends a request when the one before it is answered', async () => {
  const seen: string[] = []
  const url = await serve((request, number) => {
    seen.push(request.slice(0, request.indexOf(' HTTP')))
    return number === 1 ? 'HTTP/1.1 404 Gone\r\ncontent-length: 0\r\n\r\n' : ok
  })
  const http = open(url)
  const results = await Promise.allSettled([http.get('/a'), http.get('/b'), http.get('/c')])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(seen).toEqual(['GET /api/a', 'GET /api/b', 'GET /api/c'])
})

test('opens a new connection after an answer that closes the old one', async () => {
  const connections = new Set<Socket>()
  const url = await serve((_request, _number, socket) => {
    connections.add(socket)
    return `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n42`
  })
  const http = open(url)
  expect([await http.get('/a'), await http.get('/b'), connections.size]).toEqual([42, 42, 2])
})

test('gives up a request without an answer in time', async () => {
  const http = open(await serve(() => undefined), { timeoutMs: 50 })
  await expect(http.get('/a')).rejects.toThrow('GET /a: no answer within 50 ms')
})

test('rejects the request in flight when it is closed', async () => {
  const http = new HttpConnection(await serve(() => void http.close()))
  await expect(http.get('/a')).rejects.toThrow('closed by this side')
})

test('says why it cannot connect', async () => {
  await expect(open('http://127.0.0.1:9').get('/a')).rejects.toThrow('GET /a: connect ECONNREFUSED 127.0.0.1:9')
})
