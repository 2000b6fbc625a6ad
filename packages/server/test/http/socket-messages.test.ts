import { expect, test } from 'vitest'
import { connect, connectWithoutAuth } from '../socket-client.ts'
import { startInMemoryApp } from './in-memory-app.ts'

const subprotocol = { 'sec-websocket-protocol': 'prefect' }
const slow = (count: number) => `[${Array.from({ length: count }, () => '{"a":1.0}').join(',')}]`

test.each(['/events/in', '/events/out', '/logs/out', '/task_runs/subscriptions/scheduled', '/work_pools/p/workers/connect'])(
  '%s takes a few kilobytes before credentials were shown, and ends the connection before it has read more',
  async (path) => {
    const app = await startInMemoryApp({ MILLRACE_SERVER_API_AUTH_STRING: 'user:word' })
    const client = await connectWithoutAuth(app, path, subprotocol)
    client.send(slow(100_000))
    expect(await client.closed).toMatchObject({ code: 1009, reason: 'The first message can have at most 8192 bytes' })
  },
)

test('reads credentials of a few kilobytes', async () => {
  const token = `user:${'x'.repeat(7000)}`
  const app = await startInMemoryApp({ MILLRACE_SERVER_API_AUTH_STRING: token })
  const client = await connect(app, '/events/in', { token })
  client.send({ type: 'x', filler: 'x'.repeat(100_000) })
  await client.ping()
})

test('applies the limits of bodies to messages', async () => {
  const app = await startInMemoryApp({ MILLRACE_SERVER_JSON_VALUES_LIMIT: '100', MILLRACE_SERVER_JSON_DEPTH_LIMIT: '10' })
  for (const [path, code] of [
    ['/events/in', 1007],
    ['/events/out', 1007],
    ['/logs/out', 1002],
  ] as const) {
    for (const [text, reason] of [
      [slow(101), 'JSON exceeds the limit of 100 values'],
      [slow(20_000), 'JSON exceeds the limit of 100 values'],
      ['['.repeat(11) + ']'.repeat(11), 'JSON exceeds the nesting limit of 10'],
    ]) {
      const client = await connect(app, path)
      client.send(text)
      expect([path, await client.closed]).toEqual([path, { code, reason }])
    }
  }
})

test('limits the memory of unfinished messages of all connections', async () => {
  const app = await startInMemoryApp({ MILLRACE_SERVER_BODY_MEMORY_LIMIT_BYTES: String(200_000) })
  const client = await connect(app, '/events/in')
  client.send(`"${'x'.repeat(1_000_000)}"`)
  expect(await client.closed).toMatchObject({ code: 1013 })
})

test('reads a large message in slices and answers other requests meanwhile', async () => {
  const app = await startInMemoryApp()
  const client = await connect(app, '/events/out')
  client.send(`{"type":"other","x":${slow(200_000)}}`)
  let code: number | undefined
  void client.closed.then((end) => {
    code = end.code
  })
  let meanwhile = 0
  while (code === undefined) {
    await new Promise((resolve) => setImmediate(resolve))
    meanwhile += 1
  }
  expect(code).toBe(1002)
  expect(meanwhile).toBeGreaterThan(10)
})
