import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../errors.ts'
import { createOriginCheck, isUnsafeMethod, type OriginCheck } from './origin-check.ts'

const host = '127.0.0.1:4200'
const json = { 'content-type': 'application/json', 'content-length': '2' }

/** The status that a change with these headers is refused with, or `passes`. */
function outcome(check: OriginCheck, headers: IncomingHttpHeaders, method: keyof OriginCheck = 'rejectCrossOriginWrite'): number | 'passes' {
  try {
    check[method]({ headers: { host, ...headers } })
    return 'passes'
  } catch (error) {
    if (error instanceof ApiError) return error.status
    throw error
  }
}

describe('an unsafe request', () => {
  const check = createOriginCheck()

  test.each<[string, IncomingHttpHeaders]>([
    ['a program, which sends neither header', {}],
    ['a program that sends a body without a type', { 'content-length': '2' }],
    ['our own page', { origin: 'http://127.0.0.1:4200', 'sec-fetch-site': 'same-origin', ...json }],
    ['our own page in a browser that sends no Sec-Fetch-Site', { origin: 'http://127.0.0.1:4200', ...json }],
    ['our own page behind TLS', { origin: 'https://127.0.0.1:4200', ...json }],
    ['our own page by a name in capitals', { host: 'Mill:4200', origin: 'http://mill:4200', ...json }],
    ['our own page at the default port', { host: 'mill', origin: 'https://mill', ...json }],
    ['our own page at the default port, which the proxy names', { host: 'mill:443', origin: 'https://mill', ...json }],
    ['our own page by an IPv6 address', { host: '[0:0::1]:4200', origin: 'http://[::1]:4200', ...json }],
    ['a client that names the host it connects to as its origin', { origin: 'http://127.0.0.1:4200' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
  ])('of %s is accepted', (_name, headers) => {
    expect(outcome(check, headers)).toBe('passes')
  })

  test.each<[string, IncomingHttpHeaders]>([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another site, in a browser that sends no Sec-Fetch-Site', { origin: 'https://evil.example' }],
    ['another site, without an Origin', { 'sec-fetch-site': 'cross-site' }],
    ['another port of the same host', { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' }],
    ['another port, in a browser that sends no Sec-Fetch-Site', { origin: 'http://127.0.0.1:3000' }],
    ['another port, without an Origin', { 'sec-fetch-site': 'same-site' }],
    ['another name for the same machine', { origin: 'http://localhost:4200', 'sec-fetch-site': 'cross-site' }],
    ['a sandboxed frame or a file', { origin: 'null' }],
    ['a page with our host after a redirect', { origin: 'http://127.0.0.1:4200', 'sec-fetch-site': 'cross-site' }],
    ['a foreign Origin with a Sec-Fetch-Site that is ours', { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
    ['an extension', { host: 'abcdef', origin: 'chrome-extension://abcdef' }],
    ['an empty Origin', { origin: '' }],
    ['two origins', { origin: 'http://127.0.0.1:4200, https://evil.example' }],
    ['a name that begins with ours', { host: 'mill', origin: 'http://mill.evil.example' }],
    ['our own page, but without a Host to compare', { host: undefined, origin: 'http://127.0.0.1:4200' }],
    ['an unknown value of Sec-Fetch-Site', { 'sec-fetch-site': 'same-galaxy' }],
  ])('of %s is rejected', (_name, headers) => {
    expect(outcome(check, { ...json, ...headers })).toBe(403)
  })

  test('is rejected whatever forwarded headers contain', () => {
    const forged = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' }
    expect(outcome(check, { origin: 'https://evil.example', ...forged })).toBe(403)
  })

  test('is checked for every pair of origin and host', () => {
    expect(outcome(check, { host: 'mill', origin: 'http://mill' })).toBe('passes')
    expect(outcome(check, { host: 'mill', origin: 'http://evil.example' })).toBe(403)
    expect(outcome(check, { host: 'other', origin: 'http://mill' })).toBe(403)
    expect(outcome(check, { host: 'mill', origin: 'http://mill' })).toBe('passes')
  })

  test('has any method except GET, HEAD and OPTIONS', () => {
    expect(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'].filter(isUnsafeMethod)).toEqual([
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'QUERY',
    ])
  })
})

describe('a body that a browser sends', () => {
  const own = { origin: 'http://127.0.0.1:4200', 'sec-fetch-site': 'same-origin', 'content-length': '2' }

  test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'application/merge-patch+json'])('may be %s', (type) => {
    expect(outcome(createOriginCheck(), { ...own, 'content-type': type })).toBe('passes')
  })

  test.each([
    undefined,
    '',
    'text/plain',
    'text/plain; application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
  ])('is rejected as %s', (type) => {
    expect(outcome(createOriginCheck(), { ...own, 'content-type': type })).toBe(415)
    expect(outcome(createOriginCheck(), { 'sec-fetch-site': 'none', 'transfer-encoding': 'chunked', 'content-type': type })).toBe(415)
  })

  test('can be empty', () => {
    expect(outcome(createOriginCheck(), { ...own, 'content-length': '0' })).toBe('passes')
    expect(outcome(createOriginCheck(), { ...own, 'content-length': undefined })).toBe('passes')
  })
})

describe('the allowed origins', () => {
  test('are those of the setting and of the dashboard', () => {
    const check = createOriginCheck({ corsOrigins: ['https://friend.example/', 'HTTP://Localhost:5173'], uiUrl: 'https://mill.example/below/a/path' })
    for (const origin of ['https://friend.example', 'http://localhost:5173', 'https://mill.example']) {
      expect([origin, outcome(check, { origin, 'sec-fetch-site': 'cross-site', ...json })]).toEqual([origin, 'passes'])
      expect([origin, outcome(check, { origin, 'sec-fetch-site': 'cross-site' }, 'rejectCrossOrigin')]).toEqual([origin, 'passes'])
    }
    for (const origin of ['http://friend.example', 'https://friend.example:8443', 'https://friend.example.evil.example', 'http://mill.example']) {
      expect([origin, outcome(check, { origin, ...json })]).toEqual([origin, 403])
    }
  })

  test('are all with *', () => {
    const check = createOriginCheck({ corsOrigins: ['*'] })
    expect(outcome(check, { origin: 'https://anybody.example', 'sec-fetch-site': 'cross-site', ...json })).toBe('passes')
    expect(outcome(check, { origin: 'https://anybody.example' }, 'rejectCrossOrigin')).toBe('passes')
    expect(outcome(check, { origin: 'https://anybody.example', 'content-type': 'text/plain', 'content-length': '2' })).toBe(415)
  })

  test('with *, need a preflight to use the password of the browser', () => {
    const check = createOriginCheck({ corsOrigins: ['*', 'https://friend.example'] })
    const authorization = 'Basic YTpi'
    expect(outcome(check, { origin: 'https://anybody.example', authorization })).toBe(415)
    expect(outcome(check, { origin: 'https://anybody.example', authorization, ...json })).toBe('passes')
    expect(outcome(check, { origin: 'https://friend.example', authorization })).toBe('passes')
    expect(outcome(check, { origin: 'http://127.0.0.1:4200', authorization })).toBe('passes')
  })
})

test('names the origin and the settings in the error', () => {
  const message = () => createOriginCheck().rejectCrossOrigin({ headers: { host, origin: 'https://evil.example' } })
  expect(message).toThrow(/https:\/\/evil\.example.*MILLRACE_SERVER_API_CORS_ALLOWED_ORIGINS.*MILLRACE_SERVER_UI_URL/)
})
