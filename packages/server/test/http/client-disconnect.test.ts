import { once } from 'node:events'
import { connect } from 'node:net'
import { parameters } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { route } from '../../src/lib/route.ts'
import { createTestServer } from './test-server.ts'

const shape = {
  method: 'POST',
  path: '/slow',
  tag: 'Test',
  summary: 'Wait',
  scope: 'public',
  kind: 'change',
  body: parameters({}),
  responses: { 200: Type.Boolean() },
} as const

/** A server with one route, that exposes its signal and answers when released. */
async function startSlowServer() {
  const { promise: signal, resolve: begin } = Promise.withResolvers<AbortSignal>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const slow = route(shape, async (call) => {
    begin(call.signal)
    await released
    return call.signal.aborted
  })
  const server = createTestServer([slow])
  const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }))
  return { url: `http://127.0.0.1:${port}/slow`, port: Number(port), signal, release }
}

test('does not treat a waiting client as disconnected after its request was read', async () => {
  const { url, signal, release } = await startSlowServer()
  const answer = fetch(url, { method: 'POST', body: '{"a":1}' })
  const waiting = await signal
  await new Promise((resolve) => setImmediate(resolve))
  expect(waiting.aborted).toBe(false)
  release()
  expect(await (await answer).json()).toBe(false)
  expect(waiting.aborted).toBe(false)
})

test('notices a client that disconnects', async () => {
  const { port, signal, release } = await startSlowServer()
  const socket = connect(port, '127.0.0.1')
  socket.write('POST /slow HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}')
  const waiting = await signal
  const gone = once(waiting, 'abort')
  socket.destroy()
  await gone
  expect(waiting.aborted).toBe(true)
  release()
})
