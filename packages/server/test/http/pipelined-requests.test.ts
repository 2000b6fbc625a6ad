import { connect, type Socket } from 'node:net'
import Type from 'typebox'
import { describe, expect, onTestFinished, test } from 'vitest'
import { route } from '../../src/lib/route.ts'
import { startInMemoryApp, startRawClient } from './in-memory-app.ts'
import { createTestServer } from './test-server.ts'

const bundle = '/docs/assets/swagger-ui-bundle.js'

const requestText = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`

/** A connection that reads nothing until it is resumed. */
function openPaused(port: number): Socket {
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

const portOf = (url: string): number => Number(new URL(url).port)

/** Resolves when the server has closed the connection. */
const isClosed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('close', () => resolve()).resume()
  })

/** Collects what arrives until it contains the text so many times. */
async function readUntil(socket: Socket, text: string, times: number): Promise<string> {
  let read = ''
  let end = ''
  let found = 0
  for await (const chunk of socket) {
    read += String(chunk)
    const parts = `${end}${chunk}`.split(text)
    found += parts.length - 1
    end = (parts.at(-1) as string).slice(1 - text.length)
    if (found >= times) break
  }
  return read
}

/** A server whose route counts its calls and answers when the test says so, with a body that no socket takes at once. */
async function startCounting(bytes: number, requestsMax = 100) {
  const calls: (() => void)[] = []
  const shape = { method: 'GET', tag: 'Test', scope: 'public', kind: 'query', responses: { 200: Type.String() } } as const
  const held = route(
    { ...shape, path: '/held', summary: 'Held' },
    () => new Promise<string>((resolve) => calls.push(() => resolve('x'.repeat(bytes)))),
  )
  const quick = route({ ...shape, path: '/quick', summary: 'Quick' }, async () => 'quick')
  const server = createTestServer([held, quick], { requestsMax })
  const port = portOf(await server.listen({ port: 0, host: '127.0.0.1' }))
  /** Until the server has read all that was sent before. */
  const settle = async () => {
    for (let n = 0; n < 20; n += 1) expect((await fetch(`http://127.0.0.1:${port}/quick`)).status).toBe(200)
  }
  return { calls, port, settle }
}

describe('pipelined requests', () => {
  test('start one after the other, and not before the client has taken the response before', async () => {
    const { calls, port, settle } = await startCounting(8 * 1024 * 1024)
    const socket = openPaused(port)
    socket.write(requestText('/held').repeat(50))
    await settle()
    expect(calls).toHaveLength(1)
    calls[0]?.()
    await settle()
    expect(calls).toHaveLength(1)
    const reading = readUntil(socket, 'HTTP/1.1 200', 2)
    while (calls.length < 2) await settle()
    calls[1]?.()
    await reading
    expect(calls.length).toBeLessThanOrEqual(3)
  })

  test('are all answered, in order', async () => {
    const app = await startInMemoryApp()
    const port = portOf(await app.server.listen({ port: 0, host: '127.0.0.1' }))
    const socket = openPaused(port)
    const paths = Array.from({ length: 300 }, (_, n) => `/nothing/${n}`)
    socket.write(paths.map((path) => requestText(path)).join(''))
    const answers = await readUntil(socket, '"request_id"', 300)
    expect([...answers.matchAll(/"detail":"No route for GET ([\w/]+)/g)].map(([, path]) => path)).toEqual(paths)
  })

  test('close their connection when a thousand of them wait', async () => {
    const { calls, port } = await startCounting(1, 5000)
    const socket = openPaused(port)
    socket.write(requestText('/held').repeat(1002))
    await isClosed(socket)
    expect(calls).toHaveLength(1)
  })

  test('close their connection when as many wait in all connections as the server has requests at once, until others end', async () => {
    const { calls, port, settle } = await startCounting(1, 5)
    const first = openPaused(port)
    first.write(requestText('/held').repeat(6))
    await settle()
    const second = openPaused(port)
    second.write(requestText('/held').repeat(2))
    await isClosed(second)
    first.destroy()
    await settle()
    const third = openPaused(port)
    third.write(requestText('/quick').repeat(4))
    expect((await readUntil(third, '"quick"', 4)).match(/"quick"/g)).toHaveLength(4)
    expect(calls).toHaveLength(2)
  })
})

test('a client that pipelines requests for a large file and reads nothing costs little memory and no other client', { timeout: 60_000 }, async () => {
  const app = await startInMemoryApp()
  const send = await startRawClient(app)
  const { port } = app.server.server.address() as { port: number }
  for (const headers of ['', 'accept-encoding: gzip\r\n']) {
    const before = process.memoryUsage()
    const socket = openPaused(port)
    socket.write(requestText(bundle, headers).repeat(300))
    for (let n = 0; n < 100; n += 1) expect((await send('GET', '/health')).status).toBe(200)
    const { external, heapUsed } = process.memoryUsage()
    // 300 copies are 480 MB, and 150 MB compressed.
    expect((external + heapUsed - before.external - before.heapUsed) / 1024 ** 2).toBeLessThan(60)
    socket.destroy()
  }
})

test('a static file is compressed once for all requests', async () => {
  const send = await startRawClient(await startInMemoryApp())
  for (const encoding of ['gzip', 'br']) {
    const { status, headers } = await send('GET', bundle, { 'accept-encoding': encoding })
    expect({ status, headers }).toMatchObject({ status: 200, headers: { 'content-encoding': encoding, vary: 'accept-encoding' } })
    expect(Number(headers['content-length'])).toBeLessThan(600_000)
  }
  const { headers } = await send('GET', bundle)
  expect(headers['content-encoding']).toBe(undefined)
})
