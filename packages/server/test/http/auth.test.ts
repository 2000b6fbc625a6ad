import { expect, test } from 'vitest'
import { connectWithoutAuth } from '../socket-client.ts'
import { examplePath, startInMemoryApp, startRawClient } from './in-memory-app.ts'

const env = { MILLRACE_SERVER_API_AUTH_STRING: 'miller:grist: fine' }
const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` })
const right = basic('miller:grist: fine')

test('every route has a summary; only health and readiness are public', async () => {
  const { routes } = await startInMemoryApp()
  expect(routes.length).toBeGreaterThan(150)
  expect(routes.filter(({ summary }) => !/^[A-Z].{3,}[^.]$/.test(summary ?? ''))).toEqual([])
  expect(routes.filter(({ scope }) => scope === 'public').map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /health', 'GET /ready'])
})

test('no two routes share a method and path', async () => {
  const { routes } = await startInMemoryApp()
  const names = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':').replace(/\/$/, '')}`)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test.each<[string, Record<string, string>]>([
  ['no credentials', {}],
  ['another password', basic('miller:grist: coarse')],
  ['the password alone', basic('grist: fine')],
  ['a part of the password', basic('miller:grist')],
  ['more than the password', basic('miller:grist: fine ')],
  ['nothing after the scheme', { authorization: 'Basic' }],
  ['no base64', { authorization: 'Basic miller:grist: fine' }],
  ['another scheme', { authorization: right.authorization.replace('Basic', 'Bearer') }],
  ['credentials in another header', { 'proxy-authorization': right.authorization }],
])('with %s every route answers 401', async (_name, headers) => {
  const app = await startInMemoryApp(env)
  for (const route of app.routes.filter(({ scope }) => scope !== 'public')) {
    for (const prefix of ['', '/api']) {
      const path = `${prefix}${examplePath(route)}`
      const { status, body, headers: answered } = await app.call(route.method, path, route.body ? {} : undefined, headers)
      expect({ path, status, code: body?.code, said: body?.exception_message }).toEqual({
        path,
        status: 401,
        code: 'UNAUTHORIZED',
        said: 'Unauthorized',
      })
      expect(answered['www-authenticate']).toBe('Basic realm="millrace"')
    }
  }
})

test('with the right credentials no route answers 401', async () => {
  const app = await startInMemoryApp(env)
  for (const route of app.routes) {
    const { status } = await app.server
      .inject({ method: route.method, url: examplePath(route), headers: right, ...(route.body ? { payload: '{' } : {}) })
      .then((r) => ({ status: r.statusCode }))
    expect({ path: route.path, refused: status === 401 || status >= 500 }).toEqual({ path: route.path, refused: false })
  }
  expect((await app.call('GET', '/health')).status).toBe(200)
  expect((await app.call('GET', '/api/ready')).status).toBe(200)
})

test('path tricks do not bypass authentication', async () => {
  const say = await startRawClient(await startInMemoryApp(env))
  for (const path of [
    '/api/variables/name/x-health',
    '/api/variables/name/health',
    '/variables/name/ready',
    '/flows/name/health',
    '/work_pools/health',
    '/api/work_pools/x/queues/ready',
    '/flow_runs/health',
    '/api/flow_runs/ready/',
    '/admin/settings?path=/health',
    '/admin/settings;/health',
    '/health/../admin/settings',
    '/health/..%2fadmin/settings',
    '/health%2f..%2fadmin/settings',
    '/%2e%2e/admin/settings',
    '/./admin/settings',
    '//admin/settings',
    '/api//admin/settings',
    '/api/../admin/settings',
    '/admin//settings',
    '/admin/settings/',
    '/admin/settings//',
    '/admin/settings.',
    '/admin/settings..',
    '/admin/settings%20',
    '/admin/settings%00',
    '/admin%2fsettings',
    '/%61dmin/settings',
    '/%2561dmin/settings',
    '/ADMIN/settings',
    '/api/API/admin/settings',
    '/api/api/admin/settings',
    '/apiadmin/settings',
    'http://localhost/health/../admin/settings',
    'http://localhost/admin/settings',
    'http://localhost/api/admin/settings',
    'http://health/admin/settings',
  ]) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, body } = await say(method, path)
      expect([path, status]).toEqual([path, expect.toSatisfy((given: number) => [400, 401, 404, 405].includes(given))])
      expect(body).not.toContain('"settings":')
    }
  }
})

test('a client that guesses passwords has to wait', async () => {
  const app = await startInMemoryApp(env)
  const status = async (pair: string) => (await app.call('GET', '/version', undefined, basic(pair))).status
  for (let n = 0; n < 10; n += 1) expect(await status(`miller:${n}`)).toBe(401)
  const answer = await app.call('GET', '/version', undefined, right)
  expect(answer).toMatchObject({ status: 429, body: { code: 'TOO_MANY_GUESSES' }, headers: { 'retry-after': '1' } })
  // Neither a guess nor an operation that needs a password.
  expect((await app.call('GET', '/version')).status).toBe(401)
  expect((await app.call('GET', '/health')).status).toBe(200)
})

test('a client that guesses passwords by WebSocket has to wait', async () => {
  const app = await startInMemoryApp(env)
  const guess = async (token: string) => {
    const client = await connectWithoutAuth(app, '/api/events/out', { 'sec-websocket-protocol': 'prefect' })
    client.send({ type: 'auth', token })
    return client.closed
  }
  for (let n = 0; n < 10; n += 1) expect(await guess(`miller:${n}`)).toMatchObject({ code: 1008 })
  expect(await guess('miller:grist: fine')).toEqual({ code: 1013, reason: 'Too many wrong passwords from this address. Try again in 1 seconds.' })
})

test('only the exact path of health is public', async () => {
  const say = await startRawClient(await startInMemoryApp(env))
  for (const path of [
    '/health',
    '/health/',
    '/api/health',
    '/api/health?x=1',
    '/%68ealth',
    'http://127.0.0.1/health',
    'http://127.0.0.1/api/health',
  ]) {
    expect([path, (await say('GET', path)).status]).toEqual([path, 200])
  }
  for (const path of [
    '//health',
    '/health/.',
    '/health//',
    '/Health',
    '/health%2f',
    '/health.',
    '/health/x',
    '/api/api/health',
    '/x/../health',
    '/health%00',
  ]) {
    expect([path, (await say('GET', path)).status]).toEqual([path, 404])
  }
})

test('does not receive the body of an unauthorised client', async () => {
  const app = await startInMemoryApp({ ...env, MILLRACE_SERVER_BODY_LIMIT_BYTES: '100' })
  expect((await app.call('POST', '/flows/', { name: 'x'.repeat(1000) })).status).toBe(401)
  expect((await app.call('POST', '/flows/', { name: 'x'.repeat(1000) }, right)).status).toBe(413)
})

test('reads the scheme and the encoding as HTTP defines them', async () => {
  const app = await startInMemoryApp(env)
  expect((await app.call('GET', '/version', undefined, { authorization: right.authorization.replace('Basic', 'bAsIc') })).status).toBe(200)
  expect((await app.call('GET', '/version', undefined, basic('müller:grist'))).status).toBe(401)
  const other = await startInMemoryApp({ MILLRACE_SERVER_API_AUTH_STRING: 'müller:größe' })
  expect((await other.call('GET', '/version', undefined, basic('müller:größe'))).status).toBe(200)
})
