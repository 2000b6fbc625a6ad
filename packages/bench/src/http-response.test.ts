import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Reply, ResponseReader } from './http-response.ts'

/** Reads a response that arrives in pieces which end at the given places. */
function read(response: Buffer | string, ends: readonly number[] = []): Reply | undefined {
  const bytes = Buffer.from(response)
  const reader = new ResponseReader()
  let reply: Reply | undefined
  const places = [...ends.map((end) => end % bytes.length), bytes.length].sort((a, b) => a - b)
  let start = 0
  for (const end of places) {
    if (end === start) continue
    expect(reply).toBeUndefined()
    reply = reader.push(bytes.subarray(start, end))
    start = end
  }
  return reply
}

const chunked = (chunks: readonly Uint8Array[], extension = '', trailers = ''): Buffer =>
  Buffer.concat([
    Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
    ...chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`), chunk, Buffer.from('\r\n')]),
    Buffer.from(`0\r\n${trailers}\r\n`),
  ])

const someEnds = fc.array(fc.nat(), { maxLength: 8 })

test('reads a body of known length from any pieces', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), someEnds, (body, ends) => {
      const head = `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
      const reply = read(Buffer.concat([Buffer.from(head), body]), ends)
      expect(reply).toMatchObject({ status: 201 })
      expect(Buffer.from(body).equals(reply?.body as Buffer)).toBe(true)
    }),
  )
})

test('reads chunks with extensions and trailers from any pieces', () => {
  const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 5 })
  fc.assert(
    fc.property(chunks, fc.constantFrom('', ';name=value', ' '), fc.constantFrom('', 'a: b\r\n'), someEnds, (body, extension, trailers, ends) => {
      const reply = read(chunked(body, extension, trailers), ends)
      expect(Buffer.concat(body).equals(reply?.body as Buffer)).toBe(true)
    }),
  )
})

test('skips informational responses', () => {
  const response = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'
  expect(read(response)).toEqual({ status: 204, body: Buffer.alloc(0) })
  expect(read(response, [30, 60, 75])).toEqual({ status: 204, body: Buffer.alloc(0) })
})

test('ends a body without a length with its connection', () => {
  const reader = new ResponseReader()
  expect(reader.push(Buffer.from('HTTP/1.1 200 OK\r\n\r\none '))).toBeUndefined()
  expect(reader.push(Buffer.from('two'))).toBeUndefined()
  expect(reader.end()).toEqual({ status: 200, body: Buffer.from('one two') })
})

test('gives no response for a connection that ends early', () => {
  for (const begin of [
    '',
    'HTTP/1.1 200',
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfour',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfour',
  ]) {
    const reader = new ResponseReader()
    if (begin !== '') expect(reader.push(Buffer.from(begin))).toBeUndefined()
    expect([begin, reader.hasBegun, reader.end()]).toEqual([begin, begin !== '', undefined])
  }
})

test('tells whether the connection can be used again', () => {
  const keepsAlive = (head: string) => {
    const reader = new ResponseReader()
    reader.push(Buffer.from(`${head}\r\ncontent-length: 0\r\n\r\n`))
    return reader.keepsAlive
  }
  expect(keepsAlive('HTTP/1.1 200 OK')).toBe(true)
  expect(keepsAlive('HTTP/1.1 200 OK\r\nConnection: close')).toBe(false)
  expect(keepsAlive('HTTP/1.0 200 OK')).toBe(false)
})

test.each([
  ['what is not HTTP', 'SSH-2.0-OpenSSH\r\n\r\n', 'Not an HTTP/1.1 response'],
  ['a body longer than its length', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nfour', 'longer than its content-length'],
  ['a chunk longer than its size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nfour\r\n', 'longer than its size'],
  ['a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfour\r\n', 'Not the size of a chunk'],
  ['an endless head', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(70_000)}`, 'longer than 65536 bytes'],
])('rejects %s', (_name, response, message) => {
  expect(() => read(response)).toThrow(message)
})
