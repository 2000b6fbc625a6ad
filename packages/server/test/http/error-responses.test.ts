import { Writable } from 'node:stream'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { unavailable } from '../../src/errors.ts'
import { Download, route } from '../../src/lib/route.ts'
import { createTestServer } from './test-server.ts'

const secret = 'password of the database'

/** A server with one route that fails, and what it logs. */
function startFailingServer(fail: () => unknown) {
  const lines: string[] = []
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line))
      done()
    },
  })
  const shape = {
    method: 'GET',
    path: '/fail',
    tag: 'Test',
    summary: 'Fail',
    scope: 'public',
    kind: 'query',
    responses: { 200: Type.Boolean() },
  } as const
  const server = createTestServer([route(shape, fail)], {
    logger: { level: 'error', stream },
    newId: () => 'the-request',
    explain: (error) => (error.message === 'gone' ? unavailable(error) : undefined),
  })
  return { server, lines }
}

test('sends only the request id of an unexpected error and logs the rest', async () => {
  const { server, lines } = startFailingServer(() => {
    throw new Error(secret)
  })
  const { statusCode, body } = await server.inject({ method: 'GET', url: '/fail' })
  expect(statusCode).toBe(500)
  expect(JSON.parse(body)).toEqual({
    detail: 'Internal Server Error',
    code: 'INTERNAL',
    request_id: 'the-request',
    exception_message: 'Internal Server Error',
  })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ request_id: 'the-request', err: { message: secret } }])
})

test('answers 503 with Retry-After for reads and writes if the database is unavailable', async () => {
  const { server } = startFailingServer(() => Promise.reject(new Error('gone')))
  const { statusCode, headers, body } = await server.inject({ method: 'GET', url: '/fail' })
  expect([statusCode, headers['retry-after'], JSON.parse(body).code]).toEqual([503, '1', 'UNAVAILABLE'])
})

test('does not end a broken download as if it were complete', async () => {
  async function* pieces() {
    yield 'one\n'
    throw new Error(secret)
  }
  const { server } = startFailingServer(() => new Download('text/csv', pieces(), 'x.csv'))
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  await expect(fetch(`${address}/fail`).then((answer) => answer.text())).rejects.toThrow()
})
