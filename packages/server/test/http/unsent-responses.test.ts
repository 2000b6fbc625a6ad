import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import Type from 'typebox'
import { expect, onTestFinished, test } from 'vitest'
import { compressLargeResponses } from '../../src/http/compress.ts'
import { UnsentResponses } from '../../src/http/unsent-responses.ts'
import { route } from '../../src/lib/route.ts'
import { createTestServer } from './test-server.ts'

/** More than the buffers of both sockets hold. */
const pageBytes = 16 * 1024 * 1024

test('closes the connections that have taken longest to read their response when all responses exceed the limit', async () => {
  const shape = {
    method: 'GET',
    path: '/page',
    tag: 'Test',
    summary: 'Page',
    scope: 'public',
    kind: 'query',
    responses: { 200: Type.String() },
  } as const
  const server = createTestServer([route(shape, async () => 'x'.repeat(pageBytes))])
  const unsent = new UnsentResponses(2.5 * pageBytes)
  compressLargeResponses(server, unsent)
  const port = Number(new URL(await server.listen({ port: 0, host: '127.0.0.1' })).port)

  /** Requests a page and reads nothing of it until it is resumed. */
  async function requestPage(): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').pause()
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    const received = once(server.server, 'request')
    socket.write('GET /page HTTP/1.1\r\nhost: localhost\r\n\r\n')
    const [{ socket: accepted }] = (await received) as [{ socket: Socket }]
    while (accepted.bytesWritten === 0) await new Promise((resolve) => setImmediate(resolve))
    return socket
  }

  const [first, second] = [await requestPage(), await requestPage()]
  expect(unsent.usedBytes).toBeGreaterThan(2 * pageBytes)
  const third = await requestPage()
  expect(unsent.usedBytes).toBeLessThan(2.5 * pageBytes)
  await once(first.resume(), 'close')
  for (const socket of [second, third]) {
    let read = 0
    for await (const chunk of socket) {
      read += (chunk as Buffer).length
      if (read > pageBytes) break
    }
    expect(read).toBeGreaterThan(pageBytes)
  }
  while (unsent.usedBytes > 0) await new Promise((resolve) => setImmediate(resolve))
})
