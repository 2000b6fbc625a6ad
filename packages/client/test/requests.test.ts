import { describe, expect, test } from 'vitest'
import { freePort } from '../../server/test/free-port.ts'
import { MillraceClient } from '../src/client.ts'
import {
  ApiError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  InvalidRequestError,
  InvalidResponseError,
  NotFoundError,
  SlotsFullError,
  TimeoutError,
  UnauthorizedError,
  UnavailableError,
} from '../src/errors.ts'
import { answer, drop, hang, startScript } from './scripted-server.ts'

const flow = { id: 'f', name: 'a' }
const busy = (headers?: Record<string, string>) =>
  answer(503, { detail: 'Too many writes are queued.', code: 'OVERLOADED', request_id: 'r' }, headers)
const automation = { name: 'a' } as never

describe('retries', () => {
  test.each([
    ['429', answer(429)],
    ['503', busy()],
    ['502 of a proxy', answer(502)],
    ['504 of a proxy', answer(504)],
    ['a database that is unavailable', answer(503, { detail: 'x', code: 'UNAVAILABLE' })],
    ['a dropped connection', drop],
  ])('repeats an idempotent request after %s', async (_name, fault) => {
    const server = await startScript(fault, fault, answer(200, flow))
    expect(await server.client().flows.create({ name: 'a' })).toEqual(flow)
    expect(server.requests.map(({ body }) => body)).toEqual(Array(3).fill('{"name":"a"}'))
  })

  test.each([
    ['429', answer(429)],
    ['503', busy()],
    ['408', answer(408)],
  ])('repeats a request that is not idempotent after %s: the server did nothing', async (_name, fault) => {
    const server = await startScript(fault, answer(201, { id: 'a' }))
    expect(await server.client().automations.create(automation)).toEqual({ id: 'a' })
  })

  test.each([
    ['a dropped connection', drop, ConnectionError],
    ['502 of a proxy', answer(502), UnavailableError],
    ['504 of a proxy', answer(504), UnavailableError],
    ['a database that failed during the commit', answer(503, { detail: 'x', code: 'UNAVAILABLE' }), UnavailableError],
  ])('does not repeat a request that is not idempotent after %s', async (_name, fault, errorClass) => {
    const server = await startScript(fault, answer(201, { id: 'a' }))
    await expect(server.client().automations.create(automation)).rejects.toThrow(errorClass)
    expect(server.requests).toHaveLength(1)
  })

  test('repeats a request that is not idempotent after a refused connection', async () => {
    const port = await freePort()
    const server = await startScript(answer(201, { id: 'a' }))
    let attempts = 0
    const client = new MillraceClient({
      url: server.url,
      retry: { delaySeconds: 0.01 },
      fetch: (url, init) => {
        attempts += 1
        return fetch(attempts < 3 ? url.replace(/:\d+/, `:${port}`) : url, init)
      },
    })
    expect(await client.automations.create(automation)).toEqual({ id: 'a' })
    expect(attempts).toBe(3)
  })

  test('repeats a run that is created with an idempotency key, or a state with a transition id', async () => {
    const server = await startScript(drop, answer(201, { id: 'r' }), drop, answer(201, {}), drop)
    const { flowRuns } = server.client()
    expect(await flowRuns.create({ flow_id: 'f', idempotency_key: 'k' })).toEqual({ id: 'r' })
    await flowRuns.setState('r', { state: { type: 'RUNNING', state_details: { transition_id: 't' } } })
    expect(server.requests).toHaveLength(4)
    await expect(flowRuns.setState('r', { state: { type: 'RUNNING' } })).rejects.toThrow(ConnectionError)
    await expect(flowRuns.create({ flow_id: 'f', idempotency_key: '' })).rejects.toThrow(ConnectionError)
    expect(server.requests).toHaveLength(6)
  })

  test('waits as long as Retry-After asks', async () => {
    const server = await startScript(busy({ 'retry-after': '0.3' }), answer(200, flow))
    const start = performance.now()
    await server.client().flows.read('f')
    expect(performance.now() - start).toBeGreaterThanOrEqual(300)
  })

  test('fails at once if Retry-After asks for too long', async () => {
    const server = await startScript(busy({ 'retry-after': '120' }), answer(200, flow))
    const error = await server
      .client()
      .flows.read('f')
      .catch((caught: unknown) => caught)
    expect(error).toMatchObject({ name: 'UnavailableError', retryAfterSeconds: 120 })
    expect(server.requests).toHaveLength(1)
  })

  test('gives up after the configured number of retries', async () => {
    const server = await startScript(busy())
    const client = server.client({ retry: { retries: 2, delaySeconds: 0.01 } })
    await expect(client.flows.read('f')).rejects.toMatchObject({ code: 'OVERLOADED' })
    expect(server.requests).toHaveLength(3)
    await expect(client.flows.read('f', { retries: 0 })).rejects.toThrow(UnavailableError)
    expect(server.requests).toHaveLength(4)
  })

  test('does not repeat a request that the server rejected', async () => {
    const server = await startScript(answer(500, { detail: 'Internal Server Error', code: 'INTERNAL' }))
    await expect(server.client().flows.read('f')).rejects.toMatchObject({ name: 'ApiError', code: 'INTERNAL' })
    expect(server.requests).toHaveLength(1)
  })

  test('takes a missing item as deleted if the response to the first attempt was lost', async () => {
    const missing = answer(404, { detail: 'Flow not found', code: 'NOT_FOUND' })
    await (await startScript(drop, missing)).client().flows.delete('f')
    await (await startScript(answer(502), busy(), missing)).client().flows.delete('f')
    await expect((await startScript(busy(), missing)).client().flows.delete('f')).rejects.toThrow(NotFoundError)
    await expect((await startScript(missing)).client().flows.delete('f')).rejects.toThrow(NotFoundError)
  })
})

describe('time limits and signals', () => {
  test('fails if there is no response in time', async () => {
    const server = await startScript(hang)
    const client = server.client({ timeoutSeconds: 0.1, retry: { retries: 1, delaySeconds: 0.01 } })
    const error = await client.flows.read('f').catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(TimeoutError)
    expect((error as Error).message).toBe(`No response from ${server.url} within 0.1 seconds`)
    expect(server.requests).toHaveLength(2)
    await expect(client.automations.create(automation, { timeoutSeconds: 0.05 })).rejects.toThrow('within 0.05 seconds')
    expect(server.requests).toHaveLength(3)
  })

  test('fails if the body of a response does not end in time', async () => {
    const server = await startScript((response) => void response.writeHead(200).write('{"id":'))
    await expect(server.client({ timeoutSeconds: 0.1 }).flows.read('f', { retries: 0 })).rejects.toThrow(TimeoutError)
  })

  test('limits the start of a stream only', async () => {
    const server = await startScript((response) => {
      response.writeHead(200).write('a,')
      setTimeout(() => response.end('b'), 200)
    })
    const stream = await server.client({ timeoutSeconds: 0.1 }).flowRuns.downloadLogs('r')
    expect(await new Response(stream).text()).toBe('a,b')
  })

  test('accepts a time limit beyond that of timers', async () => {
    const server = await startScript(answer(200, flow))
    expect(await server.client({ timeoutSeconds: Number.POSITIVE_INFINITY }).flows.read('f')).toEqual(flow)
  })

  test('aborts during a request, with the reason of the signal', async () => {
    const server = await startScript(hang)
    const controller = new AbortController()
    const reason = new Error('enough')
    const reading = server.client().flows.read('f', { signal: controller.signal })
    await server.received(1)
    controller.abort(reason)
    await expect(reading).rejects.toBe(reason)
    await expect(server.client().flows.read('f', { signal: controller.signal })).rejects.toBe(reason)
    expect(server.requests).toHaveLength(1)
  })

  test('aborts between two attempts', async () => {
    const server = await startScript(busy())
    const controller = new AbortController()
    const reading = server.client({ retry: { delaySeconds: 1000, delaySecondsMax: 1000 } }).flows.read('f', { signal: controller.signal })
    await server.received(1)
    setTimeout(() => controller.abort(), 20)
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
    expect(server.requests).toHaveLength(1)
  })

  test('aborts a stream that is being read', async () => {
    const server = await startScript((response) => void response.writeHead(200).write('a'))
    const controller = new AbortController()
    const reader = (await server.client().flowRuns.downloadLogs('r', { signal: controller.signal })).getReader()
    await reader.read()
    controller.abort()
    await expect(reader.read()).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('errors', () => {
  test.each([
    [400, 'BAD_REQUEST', ApiError],
    [401, 'UNAUTHORIZED', UnauthorizedError],
    [403, 'FORBIDDEN', ForbiddenError],
    [404, 'NOT_FOUND', NotFoundError],
    [409, 'ALREADY_EXISTS', ConflictError],
    [410, 'LEASE_GONE', ApiError],
    [423, 'SLOTS_FULL', SlotsFullError],
    [429, '', UnavailableError],
    [500, 'INTERNAL', ApiError],
    [503, 'OVERLOADED', UnavailableError],
  ])('has a class for %i %s', async (status, code, errorClass) => {
    const server = await startScript(answer(status, { detail: 'Why', code, request_id: 'r-1' }, { 'retry-after': '3' }))
    const error = await server
      .client({ retry: { retries: 0 } })
      .flows.read('f')
      .catch((caught: unknown) => caught)
    expect((error as Error).constructor).toBe(errorClass)
    expect(error).toMatchObject({ name: errorClass.name, message: 'Why', status, code, requestId: 'r-1', retryAfterSeconds: 3 })
  })

  test('lists the fields of an invalid request', async () => {
    const detail = [
      { loc: ['body', 'tags', 0], msg: 'Input should be a valid string', type: 'string_type' },
      { loc: ['body'], msg: 'Field required', type: 'missing' },
    ]
    const server = await startScript(answer(422, { detail, code: 'INVALID_REQUEST', request_id: 'r-2' }))
    const error = await server
      .client()
      .flows.create({ name: 'a' })
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ message: 'tags.0: Input should be a valid string; Field required', validationErrors: detail, requestId: 'r-2' })
  })

  test('names the request if a proxy answers without a message', async () => {
    const server = await startScript((response) => void response.writeHead(413, { 'x-request-id': 'p-1' }).end('<html>'))
    const error = await server
      .client()
      .flows.create({ name: 'a' })
      .catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: '', requestId: 'p-1', message: `POST ${server.url}/flows/ returned HTTP 413` })
  })

  test('reports a response that is not JSON', async () => {
    const server = await startScript((response) => void response.writeHead(200).end('<html>'))
    const error = await server
      .client()
      .flows.read('f')
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect((error as Error).message).toBe(
      `The response of GET ${server.url}/flows/{id} is not JSON. Check the URL of the API, which usually ends with /api.`,
    )
  })

  test('names the server that cannot be reached, and why', async () => {
    const url = `http://127.0.0.1:${await freePort()}/api`
    const error = await new MillraceClient({ url, retry: { retries: 0 } }).flows.read('f').catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ code: 'ECONNREFUSED', message: `Cannot reach ${url} (ECONNREFUSED)` })
    expect((error as Error).cause).toBeInstanceOf(TypeError)
    const blocked = new MillraceClient({ url: 'http://127.0.0.1:1/api', retry: { retries: 0 } })
    await expect(blocked.flows.read('f')).rejects.toThrow('Cannot reach http://127.0.0.1:1/api (bad port)')
  })

  test.each(['', '4200', 'ftp://host/api', '/api'])('rejects the URL "%s"', (url) => {
    expect(() => new MillraceClient({ url })).toThrow(`"${url}" is not a URL such as http://127.0.0.1:4200/api`)
  })

  test('rejects credentials in the URL', () => {
    expect(() => new MillraceClient({ url: 'http://me:secret@host/api' })).toThrow('Use the option `authString`')
  })
})

describe('requests', () => {
  test('encodes parts of paths and rejects those that a URL cannot hold', async () => {
    const server = await startScript(answer(200, {}))
    const client = server.client()
    await client.variables.readByName('a/b?c#d%e ü')
    expect(server.requests[0]?.path).toBe('/api/variables/name/a%2Fb%3Fc%23d%25e%20%C3%BC')
    await expect(client.variables.readByName('..')).rejects.toThrow('".." cannot be a part of a URL')
    await expect(client.variables.readByName('.')).rejects.toThrow(TypeError)
    await expect(client.variables.readByName('')).rejects.toThrow('Missing value for "name" in /variables/name/{name}')
    await expect(client.variables.create({ name: 'a', value: 1n } as never)).rejects.toThrow(TypeError)
    expect(server.requests).toHaveLength(1)
  })

  test('sends an auth string as Basic in UTF-8, and a key as Bearer', async () => {
    const server = await startScript(answer(200, {}))
    await server.client({ authString: 'zoë:pässwörd ✓', key: 'ignored' }).flows.read('f')
    await server.client({ key: 'mk_1' }).flows.read('f')
    await server.client().flows.read('f')
    const [basic, bearer, none] = server.requests.map(({ headers }) => headers.authorization)
    expect(Buffer.from(basic?.replace('Basic ', '') ?? '', 'base64').toString()).toBe('zoë:pässwörd ✓')
    expect(bearer).toBe('Bearer mk_1')
    expect(none).toBeUndefined()
  })

  test('reads changing credentials before every request', async () => {
    const server = await startScript(answer(200, {}))
    let key = 'one'
    const client = server.client({ credentials: () => ({ key }) })
    await client.flows.read('f')
    key = 'two'
    await client.flows.read('f')
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer two'])
  })

  test('does not show a key that cannot be sent', async () => {
    const server = await startScript(answer(200, {}))
    const error = await server
      .client({ key: 'secret\n' })
      .flows.read('f')
      .catch((caught: unknown) => caught)
    expect((error as Error).message).toBe('The API key contains blanks, line ends or characters outside of ASCII')
    expect(server.requests).toHaveLength(0)
  })

  test('replaces headers by those of the call, whatever their case', async () => {
    const server = await startScript(answer(200, {}))
    await server.client({ headers: { 'X-Source': 'client', Accept: 'text/html' } }).flows.read('f', { headers: { 'x-source': 'call' } })
    expect(server.requests[0]?.headers).toMatchObject({ 'x-source': 'call', accept: 'text/html' })
  })

  test('keeps large integers, and with exactNumbers the spelling of all numbers', async () => {
    const text = '{"big":12345678901234567890,"one":1.0,"thousand":1e3,"half":0.5}'
    const server = await startScript((response) => void response.writeHead(200).end(text))
    const plain = await server.client().server.settings()
    expect(JSON.stringify(plain)).toBe('{"big":12345678901234567890,"one":1,"thousand":1000,"half":0.5}')
    const exact = await server.client({ exactNumbers: true }).server.settings()
    expect(JSON.stringify(exact)).toBe(text)
    await server.client().variables.create({ name: 'a', value: exact })
    expect(server.requests.at(-1)?.body).toBe(`{"name":"a","value":${text}}`)
  })
})
