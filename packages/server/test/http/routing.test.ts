import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { examplePath, startInMemoryApp } from './in-memory-app.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A parameter may take what is a word elsewhere: `/work_pools/:name` takes `/work_pools/filter` too. */
function matchesPattern(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern, path].map((one) => one.replace(/\/$/, '').split('/')) as [string[], string[]]
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index])
}

test('answers 405 with the allowed methods for other methods of a known path', async () => {
  const app = await startInMemoryApp()
  const byPath = Map.groupBy(app.routes, examplePath)
  expect(byPath.size).toBeGreaterThan(120)
  for (const [path, offered] of byPath) {
    const taken = offered.map(({ method }) => method)
    const others = methods.filter((method) => !app.routes.some((route) => route.method === method && matchesPattern(route.path, path)))
    for (const method of [...others, 'OPTIONS', 'HEAD'] as const) {
      const { statusCode, headers, body } = await app.server.inject({ method, url: `/api${path}` })
      const allowed = String(headers.allow).split(', ')
      expect({ path, method, statusCode, allowed: taken.every((one) => allowed.includes(one)) }).toEqual({
        path,
        method,
        statusCode: 405,
        allowed: true,
      })
      if (method !== 'HEAD') expect(JSON.parse(body)).toMatchObject({ code: 'METHOD_NOT_ALLOWED', detail: `Method ${method} not allowed` })
    }
  }
})

test.each(['/nowhere', '/api/nowhere', '/flows/name/a/b', '/api', '/api/flow_runs/x/nowhere'])('answers 404 for %s', async (path) => {
  const app = await startInMemoryApp()
  for (const method of ['GET', 'POST']) {
    const { status, body, headers } = await app.call(method, path)
    expect(status).toBe(404)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(body).toEqual({
      detail: expect.stringMatching(new RegExp(`^No route for ${method} /`)),
      code: 'NO_SUCH_ROUTE',
      request_id: headers['x-request-id'],
      exception_message: body.detail,
    })
  }
})

test('serves every operation at the root and below /api, with and without a trailing slash', async () => {
  const app = await startInMemoryApp()
  for (const path of ['/flows/filter', '/flows/filter/', '/api/flows/filter', '/api/flows/filter/', '/api/flows/filter?x=1', '/flows/filter/?x=1']) {
    expect([path, await app.call('POST', path, {})]).toMatchObject([path, { status: 200, body: [] }])
  }
  for (const path of ['/flows', '/flows/', '/api/flows', '/api/flows/']) {
    expect((await app.call('POST', path, { name: 'grist' })).body.name).toBe('grist')
  }
})

test('works below a base path that the proxy keeps or strips', async () => {
  const app = await startInMemoryApp({ MILLRACE_SERVER_BASE_PATH: '/mill/race' })
  for (const path of ['/mill/race/api/flows/filter', '/mill/race/flows/filter', '/api/flows/filter', '/flows/filter']) {
    expect([path, (await app.call('POST', path, {})).status]).toEqual([path, 200])
  }
  for (const path of ['/mill/raceapi/flows/filter', '/mill/flows/filter', '/mill/race/mill/race/flows/filter']) {
    expect([path, (await app.call('POST', path, {})).status]).toEqual([path, 404])
  }
  expect((await app.call('GET', '/openapi.json')).body.servers).toEqual([{ url: '/mill/race/api' }])
})

test.each(['/flows/%E0%A4%A', '/flows/%', '/flows/name/%zz', '/flows/name/my%flow', '/%', '/deployments/name/a%/b%zz', '/work_pools/p%/queues/q%'])(
  'a percent sign that begins no escape is part of a name: GET %s finds nothing',
  async (path) => {
    const { status, headers, body } = await (await startInMemoryApp()).call('GET', path)
    expect(status).toBe(404)
    expect(body.request_id).toBe(headers['x-request-id'])
  },
)

test('finds names with a percent sign, escaped or not', async () => {
  const app = await startInMemoryApp()
  const { id: flow_id } = (await app.call('POST', '/flows/', { name: 'my%flow' })).body
  const { id: deploymentId } = (await app.call('POST', '/deployments/', { name: '100%zz', flow_id })).body
  const idAt = async (path: string) => (await app.call('GET', path)).body.id
  for (const name of ['my%flow', 'my%25flow']) expect(await idAt(`/api/flows/name/${name}`)).toBe(flow_id)
  expect(await idAt('/deployments/name/my%flow/100%zz')).toBe(deploymentId)
})

test('uses the last value of a repeated query parameter', async () => {
  const app = await startInMemoryApp()
  expect((await app.call('GET', '/csrf-token?client=a&client=b')).body.client).toBe('b')
  expect((await app.call('GET', '/csrf-token?client=50%&client=100%%20sure%zz')).body.client).toBe('100% sure%zz')
  const { status, body } = await app.call('GET', '/task_run_states/?task_run_id=00000000-0000-4000-8000-000000000000&task_run_id=x')
  expect([status, body.detail[0].loc]).toEqual([422, ['query', 'task_run_id']])
})

test('decodes names in paths once', async () => {
  const app = await startInMemoryApp()
  for (const name of ['a%2Fb', 'ü', 'x y', '%', '../health', `${'long'.repeat(1000)}`]) {
    const { status, body } = await app.call('GET', `/variables/name/${encodeURIComponent(name)}`)
    expect({ name, status, code: body.code }).toEqual({ name, status: 404, code: 'NOT_FOUND' })
  }
})

test('answers 422 for an invalid id if the specification lists the operation, else 404', async () => {
  const app = await startInMemoryApp()
  const { status, body } = await app.call('GET', '/flow_runs/17/graph')
  expect(status).toBe(422)
  expect(body.detail).toMatchObject([{ loc: ['path', 'id'], type: 'uuid_parsing', input: '17' }])
  expect((await app.call('POST', '/work_queues/17/get_runs', {})).status).toBe(422)
  expect((await app.call('GET', '/flows/17')).status).toBe(404)
})

test('answers malformed HTTP in the format of all errors', async () => {
  const app = await startInMemoryApp()
  const { port } = new URL(await app.server.listen({ port: 0, host: '127.0.0.1' }))
  const say = async (words: string) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.end(words)
    return text(socket)
  }
  const broken = await say('HELLO\r\n\r\n')
  expect(broken).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(JSON.parse(broken.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'BAD_REQUEST' })
  expect(await say(`GET /health HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /)
  expect(await say('GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 OK/)
})

test('answers 200 instead of 404 for Prefer: not-found=ok', async () => {
  const app = await startInMemoryApp()
  const path = '/api/flows/00000000-0000-4000-8000-000000000000'
  const { status, body, headers } = await app.call('GET', path, undefined, { prefer: 'not-found=ok' })
  expect([status, body.code, headers['preference-applied'], headers['cache-control']]).toEqual([200, 'NOT_FOUND', 'not-found=ok', 'no-store'])
  for (const prefer of ['wait=10', 'not-found=no']) {
    const { status, headers } = await app.call('GET', path, undefined, { prefer })
    expect([status, headers['preference-applied']]).toEqual([404, undefined])
  }
  const invalid = await app.call('GET', '/flow_runs/17/graph', undefined, { prefer: 'not-found=ok' })
  expect([invalid.status, invalid.headers['preference-applied']]).toEqual([422, undefined])
})
