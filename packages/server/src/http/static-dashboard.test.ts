import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import Type from 'typebox'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { unauthorized } from '../errors.ts'
import { route } from '../lib/route.ts'
import { createServer } from './server.ts'
import { serveDashboard } from './static-dashboard.ts'

const secret = 'nobody may read this'
const navigation = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

const answers = { 200: Type.Unknown() }
const routes = [
  route({ method: 'GET', path: '/health', tag: 'Root', summary: '', scope: 'public', answers }, () => true),
  route({ method: 'GET', path: '/flows/:id', tag: 'Flows', summary: '', scope: 'flows:read', answers }, () => ({ name: 'a flow' })),
  route({ method: 'GET', path: '/closed', tag: 'Root', summary: '', scope: 'flows:read', answers }, () => {
    throw unauthorized()
  }),
]

function serve({ basePath = '', built = true } = {}): FastifyInstance {
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
  let nonces = 0
  const server = createServer(routes, {
    basePath,
    bodyBytesMax: 1000,
    keepAliveTimeoutSeconds: 1,
    jsonDepthMax: 10,
    logger: false,
    newId: () => 'an id',
    authorize: () => {},
  })
  serveDashboard(server, { basePath, folder, notPages: ['/health'], newNonce: () => `nonce${++nonces}` })
  open.push(async () => {
    await server.close()
    rmSync(scratch, { recursive: true })
  })
  return server
}

const get = (server: FastifyInstance, url: string, headers: InjectOptions['headers'] = {}) => server.inject({ method: 'GET', url, headers })

describe('a navigation at the root', () => {
  test.each(['/', '/runs', '/runs/flow-run/1', '/flows/1', '/nothing/here?a=1'])('gets the page: %s', async (url) => {
    const answer = await get(serve(), url, navigation)
    expect(answer).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', vary: 'accept', 'cache-control': 'no-cache' },
    })
    expect(answer.body).toContain('the page')
  })

  test('gets a policy without inline scripts, and a word of its own each time', async () => {
    const server = serve()
    const first = await get(server, '/', navigation)
    const second = await get(server, '/', navigation)
    const policy = String(first.headers['content-security-policy'])
    expect(policy).toContain(`script-src 'self';`)
    expect(policy).toContain(`style-src 'self' 'nonce-nonce1'`)
    expect(policy).not.toContain('unsafe')
    expect(first.body).toContain('<base href="/"><meta property="csp-nonce" nonce="nonce1">')
    expect(second.body).toContain('nonce2')
  })

  test('is told below which path it is shown, whether the proxy passes that path on or not', async () => {
    const server = serve({ basePath: '/mill' })
    for (const url of ['/mill/runs', '/mill', '/runs']) expect((await get(server, url, navigation)).body).toContain('<base href="/mill/">')
    expect((await get(server, '/mill/assets/index-abc.js')).body).toBe('plain()')
    expect((await get(server, '/mill/api/flows/1', navigation)).json()).toEqual({ name: 'a flow' })
  })

  test('gets what it asked for where that is for programs', async () => {
    expect((await get(serve(), '/health', navigation)).json()).toBe(true)
  })

  test('learns how to build what is not built', async () => {
    const answer = await get(serve({ built: false }), '/', navigation)
    expect(answer.statusCode).toBe(503)
    expect(answer.body).toContain('npm run build')
  })
})

describe('everything else is the API', () => {
  test.each([undefined, '*/*', 'application/json', 'text/html;q=0, */*'])('at the root with Accept: %s', async (accept) => {
    const answer = await get(serve(), '/flows/1', accept === undefined ? {} : { accept })
    expect(answer).toMatchObject({ statusCode: 200, headers: { vary: 'accept' } })
    expect(answer.json()).toEqual({ name: 'a flow' })
  })

  test('below /api, which never answers with a page', async () => {
    const server = serve()
    expect((await get(server, '/api/flows/1', navigation)).json()).toEqual({ name: 'a flow' })
    expect(await get(server, '/api/nothing', navigation)).toMatchObject({ statusCode: 404, headers: { 'content-type': 'application/json' } })
    expect((await get(server, '/api', navigation)).headers['content-type']).toBe('application/json')
  })

  test('and an unknown path is a JSON 404', async () => {
    expect((await get(serve(), '/nothing/here')).json()).toMatchObject({ code: 'NO_SUCH_ROUTE' })
  })

  test('methods that change something are never a navigation', async () => {
    const answer = await serve().inject({ method: 'POST', url: '/', headers: navigation })
    expect(answer.headers['content-type']).toBe('application/json')
  })

  test('the page is not asked for a password by the browser', async () => {
    const server = serve()
    expect((await get(server, '/api/closed')).headers).toHaveProperty('www-authenticate')
    expect((await get(server, '/api/closed', { 'x-service-ui': 'true' })).headers).not.toHaveProperty('www-authenticate')
  })
})

describe('files', () => {
  test('with a hash in their name are kept for ever, compressed as the browser likes', async () => {
    const server = serve()
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

  test('without one are asked after', async () => {
    const server = serve()
    const { headers } = await get(server, '/theme.js')
    expect(headers['cache-control']).toBe('no-cache')
    expect((await get(server, '/theme.js', { 'if-none-match': String(headers.etag) })).statusCode).toBe(304)
  })

  test('HEAD tells as much and sends nothing', async () => {
    const answer = await serve().inject({ method: 'HEAD', url: '/assets/index-abc.js' })
    expect(answer).toMatchObject({ statusCode: 200, body: '' })
    expect((await serve().inject({ method: 'HEAD', url: '/', headers: navigation })).statusCode).toBe(200)
  })

  test.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/..\\..\\secret.txt',
    '//secret.txt',
    '/secret.txt%00.js',
    '/theme.js/../../secret.txt',
    '/link.txt',
    '/up/secret.txt',
    '/assets/index-abc.js.br/../../../secret.txt',
  ])('no other is reached: %s', async (url) => {
    const server = serve()
    for (const headers of [{}, navigation]) expect((await get(server, url, headers)).body).not.toContain(secret)
  })
})
