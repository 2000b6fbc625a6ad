import { describe, expect, test } from 'vitest'
import { createSocketRoutes } from '../../src/app-routes.ts'
import { connect, connectWithoutAuth } from '../socket-client.ts'
import { examplePath, startInMemoryApp, startRawClient } from './in-memory-app.ts'

const foreign: readonly Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'null' },
]

const auth = { MILLRACE_SERVER_API_AUTH_STRING: 'miller:grist' }
const csrf = { MILLRACE_SERVER_API_CSRF_PROTECTION_ENABLED: 'true' }
const right = { authorization: `Basic ${Buffer.from('miller:grist').toString('base64')}` }

describe('pages of other origins', () => {
  test.each<[string, Record<string, string>]>([
    ['without a password', {}],
    ['with a password', auth],
    ['with CSRF protection', csrf],
  ])('cannot send requests that may change data, %s', async (_name, env) => {
    const app = await startInMemoryApp(env)
    const changes = app.routes.filter(({ method }) => method !== 'GET')
    expect(changes.length).toBeGreaterThan(120)
    for (const headers of foreign) {
      for (const route of changes) {
        const path = `/api${examplePath(route)}`
        const { status, body } = await app.call(route.method, path, route.body ? {} : undefined, { ...right, ...headers })
        expect([path, status, body.code]).toEqual([path, 403, 'ORIGIN_NOT_ALLOWED'])
      }
    }
  })

  test('create nothing with bodies that need no preflight', async () => {
    const app = await startInMemoryApp()
    const say = await startRawClient(app)
    for (const headers of foreign) {
      for (const type of [{}, { 'content-type': 'text/plain' }, { 'content-type': 'application/x-www-form-urlencoded' }]) {
        expect((await say('POST', '/api/flows/', { ...headers, ...(type as Record<string, string>) }, '{"name":"forged"}')).status).toBe(403)
      }
    }
    expect((await app.call('POST', '/flows/filter', {})).body).toEqual([])
    expect(await app.eventNames()).toEqual([])
  })

  test('cannot renew the CSRF token of a client', async () => {
    const app = await startInMemoryApp(csrf)
    for (const headers of foreign) expect((await app.call('GET', '/csrf-token?client=x', undefined, headers)).status).toBe(403)
    expect((await app.call('GET', '/csrf-token?client=x')).status).toBe(200)
  })

  test('cannot read anything, but can link to the server', async () => {
    const app = await startInMemoryApp()
    const { status, headers } = await app.call('GET', '/version', undefined, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })
    expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined])
  })

  test('can send changes if they are allowed', async () => {
    const app = await startInMemoryApp({ MILLRACE_SERVER_API_CORS_ALLOWED_ORIGINS: 'https://friend.example' })
    const headers = { origin: 'https://friend.example', 'sec-fetch-site': 'cross-site' }
    expect((await app.call('POST', '/flows/', { name: 'f' }, headers)).status).toBe(201)
    const plain = await app.call('POST', '/flows/', '{"name":"g"}', { ...headers, 'content-type': 'text/plain' })
    expect([plain.status, plain.body.code, plain.headers['access-control-allow-origin']]).toEqual([415, 'UNSUPPORTED_BODY', 'https://friend.example'])
  })
})

test('accepts bodies of programs without a content type', async () => {
  const app = await startInMemoryApp()
  const say = await startRawClient(app)
  expect((await say('POST', '/api/flows/', {}, '{"name":"f"}')).status).toBe(201)
})

describe('WebSockets', () => {
  test.each<[string, Record<string, string>]>([
    ['without a password', {}],
    ['with a password', auth],
    ['with CSRF protection', csrf],
  ])('reject pages of other origins, %s', async (_name, env) => {
    const app = await startInMemoryApp({ ...env, MILLRACE_SERVER_API_CORS_ALLOWED_ORIGINS: 'https://friend.example' })
    const paths = createSocketRoutes(app.context).map(examplePath)
    expect(paths.length).toBe(6)
    for (const path of paths) {
      for (const headers of foreign) {
        for (const prefix of ['', '/api']) {
          const offered = connectWithoutAuth(app, `${prefix}${path}`, { 'sec-websocket-protocol': 'prefect', ...headers })
          await expect(offered).rejects.toThrow('403')
          await expect(connectWithoutAuth(app, `${prefix}${path}`, headers)).rejects.toThrow('403')
        }
      }
      for (const headers of [{}, { origin: 'http://localhost' }, { origin: 'https://friend.example', 'sec-fetch-site': 'cross-site' }]) {
        const client = await connectWithoutAuth(app, path, { 'sec-websocket-protocol': 'prefect', ...(headers as Record<string, string>) })
        client.close()
        await client.closed
      }
    }
  })

  test('accept pages of any origin with *', async () => {
    const app = await startInMemoryApp({ MILLRACE_SERVER_API_CORS_ALLOWED_ORIGINS: '*' })
    const client = await connect(app, '/events/out', { headers: { origin: 'https://anybody.example' } })
    client.close()
    await client.closed
  })
})
