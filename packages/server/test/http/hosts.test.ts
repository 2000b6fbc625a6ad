import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { TestApp } from '../setup.ts'
import { connect as connectSocket, connectWithoutAuth } from '../socket-client.ts'
import { examplePath, startInMemoryApp, startRawClient } from './in-memory-app.ts'

const rebound = { host: 'evil.example:4200' }

test('rejects public host names on all routes except probes, without a password', async () => {
  const app = await startInMemoryApp()
  for (const route of app.routes) {
    const path = examplePath(route)
    const { status, body } = await app.call(route.method, path, route.body ? {} : undefined, rebound)
    if (route.scope === 'public') expect([path, status]).toEqual([path, 200])
    else expect([path, status, body.code]).toEqual([path, 421, 'HOST_NOT_ALLOWED'])
  }
  for (const path of ['/', '/docs', '/runs', '/nowhere', '/assets/x.js', '/openapi.json'])
    expect([path, (await app.call('GET', path, undefined, { ...rebound, accept: 'text/html' })).status]).toEqual([path, 421])
  expect((await app.call('OPTIONS', '/flows/', undefined, rebound)).status).toBe(421)
})

test('names the host and the setting in the error', async () => {
  const { body } = await (await startInMemoryApp()).call('GET', '/version', undefined, rebound)
  expect(body.detail).toMatch(/evil\.example\b.*MILLRACE_SERVER_ALLOWED_HOSTS/)
})

test('rejects WebSockets too', async () => {
  const app = await startInMemoryApp()
  await expect(connectWithoutAuth(app, '/events/out', rebound)).rejects.toThrow('421')
  await expect(connectWithoutAuth(app, '/api/events/in', { ...rebound, 'sec-websocket-protocol': 'prefect' })).rejects.toThrow('421')
  const client = await connectSocket(app, '/events/out', { headers: { host: 'mill.svc:4200' } })
  client.close()
  await client.closed
})

test('ignores forwarded headers', async () => {
  const app = await startInMemoryApp()
  const forwarded = (host: string) => ({ 'x-forwarded-host': host, 'x-original-host': host, forwarded: `host=${host}` })
  expect((await app.call('GET', '/version', undefined, { ...rebound, ...forwarded('localhost') })).status).toBe(421)
  expect((await app.call('GET', '/version', undefined, { host: 'localhost', ...forwarded('evil.example') })).status).toBe(200)
})

test('does not check the host with a password', async () => {
  const app = await startInMemoryApp({ MILLRACE_SERVER_API_AUTH_STRING: 'a:b' })
  const authorization = `Basic ${Buffer.from('a:b').toString('base64')}`
  expect((await app.call('GET', '/version', undefined, { ...rebound, authorization })).status).toBe(200)
})

test('accepts the hosts of the settings', async () => {
  const app = await startInMemoryApp({ MILLRACE_SERVER_ALLOWED_HOSTS: 'mill.example, *.mills.example', MILLRACE_SERVER_UI_URL: 'https://ui.example' })
  const statusOf = async (host: string) => (await app.call('GET', '/version', undefined, { host })).status
  for (const host of ['mill.example', 'a.mills.example', 'UI.example:8443']) expect([host, await statusOf(host)]).toEqual([host, 200])
  // After a name that is served, and the other way round: what is remembered of the last request decides nothing.
  for (const host of ['evil.example', 'mill.example', 'evil.example'])
    expect([host, await statusOf(host)]).toEqual([host, host[0] === 'e' ? 421 : 200])
})

test('checks a host in the request line', async () => {
  const say = await startRawClient(await startInMemoryApp())
  expect((await say('GET', 'http://evil.example/api/version', { host: 'localhost' })).status).toBe(421)
  expect((await say('GET', 'http://localhost@evil.example/api/version', { host: 'localhost' })).status).toBe(421)
  expect((await say('GET', 'http://localhost/api/version', { host: 'evil.example' })).status).toBe(421)
  expect((await say('GET', 'http://localhost:4200/api/version', { host: 'localhost' })).status).toBe(200)
})

test.each([
  ['for a host that is not served', 'host: evil.example', 421],
  ['for a host that is none', 'host: a b', 400],
  ['of a foreign page', 'host: localhost\r\norigin: https://evil.example', 403],
])('closes the connection of a rejected upgrade: %s', async (_name, lines, status) => {
  const app = await startInMemoryApp()
  const { port } = new URL(await app.server.listen({ port: 0, host: '127.0.0.1' }))
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`GET /api/events/out HTTP/1.1\r\n${lines}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`)
  // Ends with the connection.
  expect(await text(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
})

async function sendRawRequest(app: TestApp, head: string): Promise<string> {
  const { port } = app.server.addresses()[0] ?? new URL(await app.server.listen({ port: 0, host: '127.0.0.1' }))
  const socket = connect(Number(port), '127.0.0.1')
  socket.end(`${head}\r\n\r\n`)
  return (await text(socket)).split('\r\n')[0] ?? ''
}

test('rejects two Host headers and accepts none', async () => {
  const app = await startInMemoryApp()
  expect(await sendRawRequest(app, 'GET /api/version HTTP/1.1\r\nhost: localhost\r\nHost: evil.example\r\nconnection: close')).toContain(' 400 ')
  expect(await sendRawRequest(app, 'GET /api/version HTTP/1.1\r\nhost: evil.example\r\nHost: localhost\r\nconnection: close')).toContain(' 400 ')
  expect(await sendRawRequest(app, 'GET /api/version HTTP/1.1\r\nconnection: close')).toContain(' 400 ')
  expect(await sendRawRequest(app, 'GET /api/version HTTP/1.0')).toContain(' 200 ')
  expect(await sendRawRequest(app, 'GET /api/version HTTP/1.1\r\nhost:\r\nconnection: close')).toContain(' 200 ')
})
