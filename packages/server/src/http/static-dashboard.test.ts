import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { navigation, sendRawPath } from '../../test/http/send-raw-path.ts'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'

const secret = 'content of a private file'
const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

const version = '0.8.4'

async function startTestServer({ built = true, env = {} }: { built?: boolean; env?: Record<string, string> } = {}): Promise<FastifyInstance> {
  const scratch = mkdtempSync(join(inject('scratchFolder'), 'dashboard-'))
  const folder = join(scratch, 'dist')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(scratch, 'secret.txt'), secret)
  symlinkSync(join(scratch, 'secret.txt'), join(folder, 'link.txt'))
  symlinkSync(scratch, join(folder, 'up'))
  if (built) {
    writeFileSync(join(folder, 'index.html'), '<html><head><base href="/" /></head><body>the page</body></html>')
    writeFileSync(join(folder, 'theme.js'), 'theme()')
    writeFileSync(join(folder, 'assets/index-abc.js'), 'plain()')
    writeFileSync(join(folder, 'assets/index-abc.js.br'), 'as brotli')
    writeFileSync(join(folder, 'assets/index-abc.js.gz'), 'as gzip')
  }
  const { config } = readConfig({ MILLRACE_DATABASE_URL: 'sqlite::memory:', ...env }, [])
  const app = await buildApp({ config, dashboardFolder: folder })
  open.push(async () => {
    await app.close()
    rmSync(scratch, { recursive: true })
  })
  return app.server
}

const get = (server: FastifyInstance, url: string, headers: InjectOptions['headers'] = {}) => server.inject({ method: 'GET', url, headers })

describe('a navigation at the root', () => {
  test.each(['/', '/runs', '/runs/flow-run/1', '/flows/1', '/nothing/here?a=1'])('gets the page: %s', async (url) => {
    const answer = await get(await startTestServer(), url, navigation)
    expect(answer).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', vary: 'accept', 'cache-control': 'no-cache' },
    })
    expect(answer.body).toContain('the page')
  })

  test.each([undefined, '*/*', 'text/*', 'image/png, */*;q=0.5'])('at / is also a request that accepts anything: %s', async (accept) => {
    const server = await startTestServer({ env: { MILLRACE_SERVER_BASE_PATH: '/mill' } })
    for (const url of ['/', '/mill', '/mill/']) expect((await get(server, url, accept === undefined ? {} : { accept })).body).toContain('the page')
    expect((await get(server, '/runs', accept === undefined ? {} : { accept })).statusCode).toBe(404)
  })

  test('gets a policy without inline scripts, and a new nonce each time', async () => {
    const server = await startTestServer()
    const first = await get(server, '/', navigation)
    const second = await get(server, '/', navigation)
    const policy = String(first.headers['content-security-policy'])
    expect(policy).toContain(`script-src 'self';`)
    expect(policy).not.toContain('unsafe')
    const nonce = /'nonce-([\w+/=]{24})'/.exec(policy)?.[1]
    expect(first.body).toContain(`<base href="/"><meta property="csp-nonce" nonce="${nonce}">`)
    expect(second.body).not.toContain(nonce)
  })

  test('gets the base path, whether the proxy keeps or strips it', async () => {
    const server = await startTestServer({ env: { MILLRACE_SERVER_BASE_PATH: '/mill' } })
    for (const url of ['/mill/runs', '/mill', '/runs']) expect((await get(server, url, navigation)).body).toContain('<base href="/mill/">')
    expect((await get(server, '/mill/assets/index-abc.js')).body).toBe('plain()')
    expect((await get(server, '/mill/api/version', navigation)).json()).toBe(version)
  })

  test('gets the API response on public API paths', async () => {
    expect((await get(await startTestServer(), '/health', navigation)).json()).toBe(true)
  })

  test('gets build instructions if the dashboard is not built', async () => {
    const answer = await get(await startTestServer({ built: false }), '/', navigation)
    expect(answer.statusCode).toBe(503)
    expect(answer.body).toContain('node scripts/build-dashboard.ts')
  })
})

describe('requests that are not navigations', () => {
  test.each([undefined, '*/*', 'application/json', 'text/html;q=0, */*'])('get the API at the root with Accept: %s', async (accept) => {
    const answer = await get(await startTestServer(), '/version', accept === undefined ? {} : { accept })
    expect(answer).toMatchObject({ statusCode: 200, headers: { vary: 'accept' } })
    expect(answer.json()).toBe(version)
  })

  test.each(['application/json', 'text/html;q=0, */*'])('get the API at / with Accept: %s', async (accept) => {
    expect((await get(await startTestServer(), '/', { accept })).json()).toMatchObject({ code: 'NO_SUCH_ROUTE' })
  })

  test('never get the page below /api', async () => {
    const server = await startTestServer()
    expect((await get(server, '/api/version', navigation)).json()).toBe(version)
    expect(await get(server, '/api/nothing', navigation)).toMatchObject({
      statusCode: 404,
      headers: { 'content-type': expect.stringContaining('application/json') },
    })
    expect((await get(server, '/api', navigation)).headers['content-type']).toContain('application/json')
  })

  test('get a JSON 404 for an unknown path', async () => {
    expect((await get(await startTestServer(), '/nothing/here')).json()).toMatchObject({ code: 'NO_SUCH_ROUTE' })
  })

  test('include all methods except GET and HEAD', async () => {
    const answer = await (await startTestServer()).inject({ method: 'POST', url: '/', headers: navigation })
    expect(answer.headers['content-type']).toContain('application/json')
  })

  test('get files without credentials, and no browser dialog for those of the API', async () => {
    const server = await startTestServer({ env: { MILLRACE_SERVER_API_AUTH_STRING: 'ada:secret' } })
    expect((await get(server, '/', navigation)).statusCode).toBe(200)
    expect((await get(server, '/assets/index-abc.js')).statusCode).toBe(200)
    expect(await get(server, '/api/version')).toMatchObject({ statusCode: 401, headers: { 'www-authenticate': expect.any(String) } })
    const asked = await get(server, '/api/version', { 'x-service-ui': 'true' })
    expect(asked.statusCode).toBe(401)
    expect(asked.headers).not.toHaveProperty('www-authenticate')
  })
})

test('serves only the API if the dashboard is disabled', async () => {
  const server = await startTestServer({ env: { MILLRACE_UI_ENABLED: 'false' } })
  expect((await get(server, '/runs', navigation)).json()).toMatchObject({ code: 'NO_SUCH_ROUTE' })
  expect((await get(server, '/theme.js')).statusCode).toBe(404)
})

describe('files', () => {
  test('with a hash in their name are immutable and compressed', async () => {
    const server = await startTestServer()
    const brotli = await get(server, '/assets/index-abc.js', { 'accept-encoding': 'gzip, deflate, br' })
    expect(brotli).toMatchObject({
      body: 'as brotli',
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'content-encoding': 'br',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      },
    })
    expect((await get(server, '/assets/index-abc.js', { 'accept-encoding': 'gzip' })).body).toBe('as gzip')
    expect((await get(server, '/assets/index-abc.js', navigation)).body).toBe('plain()')
  })

  test('without a hash are revalidated', async () => {
    const server = await startTestServer()
    const { headers } = await get(server, '/theme.js')
    expect(headers['cache-control']).toBe('no-cache')
    expect((await get(server, '/theme.js', { 'if-none-match': String(headers.etag) })).statusCode).toBe(304)
  })

  test('answer HEAD with headers and no body', async () => {
    const server = await startTestServer()
    await server.listen({ host: '127.0.0.1', port: 0 })
    for (const path of ['/assets/index-abc.js', '/runs']) {
      const { status, headers, body } = await sendRawPath(server, 'HEAD', path)
      expect({ status, body }).toEqual({ status: 200, body: '' })
      expect(Number(headers['content-length'])).toBeGreaterThan(0)
    }
  })

  test('outside the folder cannot be reached', async () => {
    const server = await startTestServer()
    await server.listen({ host: '127.0.0.1', port: 0 })
    expect((await sendRawPath(server, 'GET', '/theme.js')).body).toBe('theme()')
    for (const path of traversalPaths) expect((await sendRawPath(server, 'GET', path)).body, path).not.toContain(secret)
  })
})

const traversalPaths = [
  '/../secret.txt',
  '/assets/../../secret.txt',
  '/..%2fsecret.txt',
  '/%2e%2e/secret.txt',
  '/assets/%2e%2e/%2e%2e/secret.txt',
  '/assets/%252e%252e/secret.txt',
  '/assets/..%5c..%5csecret.txt',
  '/assets/..\\..\\secret.txt',
  '//secret.txt',
  '/secret.txt%00.js',
  '/theme.js/../../secret.txt',
  '/link.txt',
  '/up/secret.txt',
  '/assets/index-abc.js.br/../../../secret.txt',
  'http://127.0.0.1/../secret.txt',
]
