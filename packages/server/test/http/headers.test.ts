import { describe, expect, test } from 'vitest'
import { contentDisposition } from '../../src/http/response-headers.ts'
import { startInMemoryApp, startRawClient } from './in-memory-app.ts'

const origins = { MILLRACE_SERVER_API_CORS_ALLOWED_ORIGINS: 'https://mill.example, http://localhost:5173/' }
const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type, x-prefect-api-version' }

describe('pages of other origins', () => {
  test('get no CORS headers unless they are allowed', async () => {
    const app = await startInMemoryApp()
    const answer = await app.call('GET', '/version', undefined, { origin: 'https://mill.example' })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect((await app.call('OPTIONS', '/flows/filter', undefined, { origin: 'https://mill.example', ...preflight })).status).toBe(405)
  })

  test('get credentials and the exposed headers if they are allowed', async () => {
    const app = await startInMemoryApp(origins)
    for (const origin of ['https://mill.example', 'http://localhost:5173']) {
      for (const url of ['/version', '/nowhere', '/flows/17']) {
        expect((await app.call('GET', url, undefined, { origin })).headers).toMatchObject({
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': expect.stringContaining('x-request-id'),
          vary: expect.stringMatching(/\borigin$/),
        })
      }
    }
  })

  test.each(['https://mill.example.evil.example', 'http://mill.example', 'https://mill.example:8443', 'https://evil.example', 'null', ''])(
    'are not allowed by a similar origin: %s',
    async (origin) => {
      const app = await startInMemoryApp(origins)
      const { headers } = await app.call('GET', '/version', undefined, { origin })
      expect(headers['access-control-allow-origin']).toBeUndefined()
      // A cache must not give this answer to an origin that may.
      expect(headers.vary).toMatch(/\borigin$/)
      expect((await app.call('OPTIONS', '/version', undefined, { origin, ...preflight })).status).toBe(405)
    },
  )

  test('get an answer to a preflight without credentials', async () => {
    const app = await startInMemoryApp({ ...origins, MILLRACE_SERVER_API_AUTH_STRING: 'a:b' })
    const { status, body, headers } = await app.call('OPTIONS', '/api/flows/filter', undefined, { origin: 'https://mill.example', ...preflight })
    expect([status, body]).toEqual([204, null])
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://mill.example',
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': preflight['access-control-request-headers'],
      'access-control-max-age': '600',
    })
    const refused = await app.call('POST', '/api/flows/filter', {}, { origin: 'https://mill.example' })
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, 'https://mill.example'])
  })

  test('are all allowed with *, without credentials', async () => {
    const app = await startInMemoryApp({ MILLRACE_SERVER_API_CORS_ALLOWED_ORIGINS: 'https://mill.example,*' })
    const { headers } = await app.call('GET', '/version', undefined, { origin: 'https://elsewhere.example' })
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })

  test('get 405 for OPTIONS that is not a preflight', async () => {
    const app = await startInMemoryApp(origins)
    const { status, headers } = await app.call('OPTIONS', '/version', undefined, { origin: 'https://mill.example' })
    expect([status, headers.allow]).toEqual([405, 'GET'])
  })
})

describe('every response', () => {
  test.each([
    ['GET', '/health', 200],
    ['GET', '/flow_runs/17/graph', 422],
    ['GET', '/nowhere', 404],
    ['DELETE', '/health', 405],
    ['GET', '/docs', 200],
    ['GET', '/%', 404],
  ])('has a request id and nosniff: %s %s', async (method, path, status) => {
    const { statusCode, headers } = await (await startInMemoryApp()).server.inject({ method: method as 'GET', url: path })
    expect(statusCode).toBe(status)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/) })
  })

  test('has its own request id, whatever the client sends', async () => {
    const app = await startInMemoryApp()
    const names = await Promise.all(
      [1, 2].map(async () => (await app.call('GET', '/health', undefined, { 'x-request-id': 'mine' })).headers['x-request-id']),
    )
    expect(new Set([...names, 'mine']).size).toBe(3)
  })
})

describe('contentDisposition', () => {
  test.each([
    ['grist-logs.csv', `attachment; filename="grist-logs.csv"; filename*=UTF-8''grist-logs.csv`],
    ['müller.csv', `attachment; filename="m_ller.csv"; filename*=UTF-8''m%C3%BCller.csv`],
    ['a"; x="b.csv', `attachment; filename="a___x__b.csv"; filename*=UTF-8''a%22%3B%20x%3D%22b.csv`],
    ["it's (1)*.csv", `attachment; filename="it_s__1__.csv"; filename*=UTF-8''it%27s%20%281%29%2A.csv`],
    ['a\r\nset-cookie: x', `attachment; filename="a__set-cookie__x"; filename*=UTF-8''a%0D%0Aset-cookie%3A%20x`],
    ['../../etc/passwd', `attachment; filename=".._.._etc_passwd"; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`],
    ['\ud800', `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ])('encodes the file name %j', (name, header) => {
    expect(contentDisposition(name)).toBe(header)
  })

  test('downloads the logs of a run with any name', async () => {
    const app = await startInMemoryApp()
    const say = await startRawClient(app)
    const { id: flow_id } = (await app.call('POST', '/flows/', { name: 'f' })).body
    const name = 'grist\r\nset-cookie: a=b\r\n\r\n<script>"\u2028'
    const { id } = (await app.call('POST', '/flow_runs/', { flow_id, name })).body
    const { status, headers } = await say('GET', `/api/flow_runs/${id}/logs/download`)
    expect(status).toBe(200)
    expect(headers['set-cookie']).toBeUndefined()
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(headers['content-disposition']).toBe(contentDisposition(`${name}-logs.csv`))
  })
})
