import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConflictError, ForbiddenError, InvalidRequestError, NotFoundError, UnauthorizedError } from '../src/errors.ts'
import { startTestServer, type TestServer } from './test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.drop())

const caught = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

describe('errors of the server', () => {
  test('have class, code and request id', async () => {
    const client = server.client()
    const id = '00000000-0000-4000-8000-000000000000'
    const missing = await caught(client.flowRuns.read(id))
    expect(missing).toBeInstanceOf(NotFoundError)
    expect(missing).toMatchObject({ status: 404, code: 'NOT_FOUND', message: 'Flow run not found', requestId: expect.stringMatching(/./) })
    await client.variables.create({ name: 'taken', value: 1 })
    const taken = await caught(client.variables.create({ name: 'taken', value: 1 }))
    expect(taken).toBeInstanceOf(ConflictError)
    expect(taken).toMatchObject({ status: 409, code: 'ALREADY_EXISTS', requestId: expect.stringMatching(/./) })
    const invalid = await caught(client.flows.list({ limit: -1 }))
    expect(invalid).toBeInstanceOf(InvalidRequestError)
    expect(invalid).toMatchObject({ code: 'INVALID_REQUEST', validationErrors: [{ loc: ['body', 'limit'] }], requestId: expect.stringMatching(/./) })
  })
})

describe('credentials', () => {
  let locked: TestServer
  beforeAll(async () => {
    locked = await startTestServer({ MILLRACE_SERVER_API_AUTH_STRING: 'zoë:pässwörd ✓' })
  })
  afterAll(() => locked.drop())

  test('are accepted with characters outside of Latin-1', async () => {
    expect(await locked.client({ authString: 'zoë:pässwörd ✓' }).flows.list()).toEqual([])
  })

  test('are rejected with an error if wrong or missing', async () => {
    for (const options of [{ authString: 'zoë:other' }, { key: 'zoë:pässwörd'.slice(0, 2) }, {}]) {
      const error = await caught(locked.client(options).flows.list())
      expect(error).toBeInstanceOf(UnauthorizedError)
      expect(error).toMatchObject({ code: 'UNAUTHORIZED', requestId: expect.stringMatching(/./) })
    }
  })
})

describe('CSRF tokens', () => {
  let strict: TestServer
  beforeAll(async () => {
    strict = await startTestServer({ MILLRACE_SERVER_API_CSRF_PROTECTION_ENABLED: 'true' })
  })
  afterAll(() => strict.drop())

  test('are requested once for all concurrent requests, and again when they expire', async () => {
    const paths: string[] = []
    const client = strict.client({
      fetch: (url, init) => {
        paths.push(`${init.method} ${new URL(url).pathname}`)
        return fetch(url, init)
      },
    })
    const tokenRequests = () => paths.filter((path) => path === 'GET /api/csrf-token').length
    await Promise.all(Array.from({ length: 10 }, (_, n) => client.flows.create({ name: `flow ${n}` })))
    expect(tokenRequests()).toBe(1)
    expect(await client.flows.count()).toBe(10)
    strict.app.clock.advance(86_400)
    await client.flows.count()
    expect(tokenRequests()).toBe(2)
  })

  test('are not requested for another reason of a 403', async () => {
    const paths: string[] = []
    const client = server.client({
      fetch: (url, init) => {
        paths.push(url)
        return fetch(url, init)
      },
    })
    const error = await caught(client.events.nextPage('not a token'))
    expect(error).toBeInstanceOf(ForbiddenError)
    expect(paths).toHaveLength(1)
  })
})

describe('names in paths', () => {
  test.each(['a/b', 'a%2Fb', 'ä ö?#&', '...', '%'])('reach the item "%s"', async (tag) => {
    const { tagConcurrencyLimits } = server.client()
    await tagConcurrencyLimits.create({ tag, concurrency_limit: 3 })
    expect(await tagConcurrencyLimits.readByTag(tag)).toMatchObject({ tag, concurrency_limit: 3 })
    await tagConcurrencyLimits.deleteByTag(tag)
    await expect(tagConcurrencyLimits.readByTag(tag)).rejects.toThrow(NotFoundError)
  })

  test('reject two dots instead of calling another route', async () => {
    await expect(server.client().tagConcurrencyLimits.deleteByTag('..')).rejects.toThrow('".." cannot be a part of a URL')
  })
})

test('copies user data exactly with exactNumbers', async () => {
  const text = '{"big":123456789012345678901234567890,"one":1.0,"small":1e-7}'
  await server.app.call('POST', '/api/variables/', `{"name":"numbers","value":${text}}`)
  const client = server.client({ exactNumbers: true })
  const { value } = await client.variables.readByName('numbers')
  await client.variables.create({ name: 'copy', value })
  const copy = await server.app.server.inject({ method: 'GET', url: '/api/variables/name/copy' })
  expect(copy.body).toContain(text)
})

test('downloads logs as a stream', async () => {
  const client = server.client()
  const flow = await client.flows.create({ name: 'logged' })
  const { id } = await client.flowRuns.create({ flow_id: flow.id })
  await client.logs.create([{ name: 'n', level: 20, message: 'hello, "you"', timestamp: '2030-01-01T00:00:00Z', flow_run_id: id }])
  const text = await new Response(await client.flowRuns.downloadLogs(id)).text()
  expect(text).toContain(`2030-01-01 00:00:00+00:00,20,${id},,"hello, ""you"""`)
})
