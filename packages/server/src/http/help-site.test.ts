import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { navigation, sendRawPath } from '../../test/http/send-raw-path.ts'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'

const secret = 'content of a private file'
const inlineScript = `document.documentElement.classList.add("dark")`
const page = (text: string): string =>
  `<html><head><link rel="stylesheet" href="/help/assets/style.abc.css"><script type="module" src="/help/assets/app.abc.js"></script>` +
  `<script id="dark">${inlineScript}</script></head><body>${text}<code>/help/</code></body></html>`
const script = `const base="/help/";import(\`/help/assets/other.js\`);${'// long enough to be compressed\n'.repeat(50)}`

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

interface TestSite {
  readonly server: FastifyInstance
  readonly folder: string
}

async function startTestServer({ built = true, env = {} }: { built?: boolean; env?: Record<string, string> } = {}): Promise<TestSite> {
  const scratch = mkdtempSync(join(inject('scratchFolder'), 'help-'))
  const folder = join(scratch, 'dist')
  writeFileSync(join(scratch, 'secret.txt'), secret)
  if (built) writeSite(folder, 'first')
  const { config } = readConfig({ MILLRACE_DATABASE_URL: 'sqlite::memory:', ...env }, [])
  const app = await buildApp({ config, helpFolder: folder, dashboardFolder: join(scratch, 'dashboard') })
  open.push(async () => {
    await app.close()
    rmSync(scratch, { recursive: true })
  })
  return { server: app.server, folder }
}

function writeSite(folder: string, text: string): void {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  mkdirSync(join(folder, 'adr'))
  mkdirSync(join(folder, 'files/deploy'), { recursive: true })
  for (const name of ['index', 'deployment', 'adr/index', '404']) writeFileSync(join(folder, `${name}.html`), page(`${text} ${name}`))
  writeFileSync(join(folder, 'assets/app.abc.js'), script)
  writeFileSync(join(folder, 'assets/style.abc.css'), 'a { background: url(/help/assets/a.svg) }')
  writeFileSync(join(folder, 'files/deploy/nginx.conf.txt'), 'server {}')
  writeFileSync(join(folder, 'bundled-files.list'), 'not served')
  symlinkSync(join(folder, '../secret.txt'), join(folder, 'link.txt'))
  symlinkSync(join(folder, '..'), join(folder, 'up'))
}

const get = (server: FastifyInstance, url: string, headers: InjectOptions['headers'] = navigation) => server.inject({ method: 'GET', url, headers })

describe('a page', () => {
  test.each([
    ['/help/', 'first index'],
    ['/help/deployment', 'first deployment'],
    ['/help/deployment.html?a=1', 'first deployment'],
    ['/help/adr/', 'first adr/index'],
  ])('is served at %s', async (url, text) => {
    const { server } = await startTestServer()
    const answer = await get(server, url)
    expect(answer).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' },
    })
    expect(answer.body).toBe(page(text))
    expect((await get(server, url, {})).statusCode).toBe(200)
  })

  test.each([
    ['/help', '/help/'],
    ['/help/adr', '/help/adr/'],
    ['/api/help', '/help/'],
    ['/api/help/deployment', '/help/deployment'],
  ])('is reached from %s by a redirect', async (url, location) => {
    expect(await get((await startTestServer()).server, url)).toMatchObject({ statusCode: 307, headers: { location } })
  })

  test('allows its inline scripts by their hashes, and nothing else', async () => {
    const policy = String((await get((await startTestServer()).server, '/help/')).headers['content-security-policy'])
    const hash = createHash('sha256').update(inlineScript).digest('base64')
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`)
    expect(policy).toContain(`style-src 'self';`)
    expect(policy).not.toContain('unsafe')
    expect(policy).not.toContain('http')
  })

  test('is revalidated by its content', async () => {
    const { server, folder } = await startTestServer()
    const { headers } = await get(server, '/help/')
    const again = { ...navigation, 'if-none-match': String(headers.etag) }
    expect(await get(server, '/help/', again)).toMatchObject({ statusCode: 304, body: '' })
    writeSite(`${folder}-2`, 'other')
    renameSync(folder, `${folder}-1`)
    renameSync(`${folder}-2`, folder)
    expect(await get(server, '/help/', again)).toMatchObject({ statusCode: 200, body: page('other index') })
  })

  test('needs no credentials', async () => {
    const { server } = await startTestServer({ env: { MILLRACE_SERVER_API_AUTH_STRING: 'ada:secret' } })
    expect((await get(server, '/help/')).statusCode).toBe(200)
  })

  test('that does not exist is the page for 404, and JSON for programs', async () => {
    const { server } = await startTestServer()
    expect(await get(server, '/help/nothing')).toMatchObject({ statusCode: 404, body: page('first 404') })
    expect((await get(server, '/help/nothing', { accept: 'application/json' })).json()).toMatchObject({ code: 'NO_SUCH_ROUTE' })
    expect((await get(server, '/help/bundled-files.list')).statusCode).toBe(404)
  })
})

test('all addresses begin with the base path, whether the proxy keeps or strips it', async () => {
  const { server } = await startTestServer({ env: { MILLRACE_SERVER_BASE_PATH: '/mill' } })
  for (const prefix of ['/mill', '']) {
    expect((await get(server, `${prefix}/help`)).headers.location).toBe('/mill/help/')
    const { body, headers } = await get(server, `${prefix}/help/deployment`)
    expect(body).toContain('href="/mill/help/assets/style.abc.css"')
    expect(body).toContain('<code>/help/</code>')
    expect(headers['content-security-policy']).toContain('sha256-')
    const { body: code } = await get(server, `${prefix}/help/assets/app.abc.js`)
    expect(code).toContain('const base="/mill/help/";import(`/mill/help/assets/other.js`)')
    expect((await get(server, `${prefix}/help/assets/style.abc.css`)).body).toBe('a { background: url(/mill/help/assets/a.svg) }')
  }
})

test('a base path cannot end a text or an attribute', async () => {
  const { server } = await startTestServer({ env: { MILLRACE_SERVER_BASE_PATH: `/a"'<b` } })
  expect((await get(server, '/help/assets/app.abc.js')).body).toContain('const base="/a%22%27%3cb/help/"')
})

describe('a file', () => {
  test('with a hash in its name is immutable', async () => {
    const { headers } = await get((await startTestServer()).server, '/help/assets/app.abc.js')
    expect(headers).toMatchObject({ 'cache-control': 'public, max-age=31536000, immutable', 'content-type': 'text/javascript; charset=utf-8' })
    expect(headers).not.toHaveProperty('content-security-policy')
  })

  test('is compressed for clients that accept it', async () => {
    const { server } = await startTestServer()
    const encoded = async (encoding: string) => {
      const { headers, rawPayload } = await get(server, '/help/assets/app.abc.js', { 'accept-encoding': encoding })
      return { encoding: headers['content-encoding'], vary: headers.vary, rawPayload }
    }
    const brotli = await encoded('gzip, deflate, br')
    expect(brotli).toMatchObject({ encoding: 'br', vary: 'accept-encoding' })
    expect(String(brotliDecompressSync(brotli.rawPayload))).toBe(script)
    const zipped = await encoded('gzip, br;q=0')
    expect(zipped.encoding).toBe('gzip')
    expect(String(gunzipSync(zipped.rawPayload))).toBe(script)
    expect((await encoded('identity')).encoding).toBeUndefined()
  })

  test('of the repository is plain text', async () => {
    const answer = await get((await startTestServer()).server, '/help/files/deploy/nginx.conf.txt')
    expect(answer).toMatchObject({ body: 'server {}', headers: { 'content-type': 'text/plain; charset=utf-8' } })
  })

  test('answers HEAD with headers and no body', async () => {
    const { server } = await startTestServer()
    await server.listen({ host: '127.0.0.1', port: 0 })
    for (const path of ['/help/', '/help/assets/app.abc.js']) {
      const { status, headers, body } = await sendRawPath(server, 'HEAD', path)
      expect({ status, body }).toEqual({ status: 200, body: '' })
      expect(Number(headers['content-length'])).toBeGreaterThan(0)
    }
  })

  test('outside the folder cannot be reached', async () => {
    const { server } = await startTestServer()
    await server.listen({ host: '127.0.0.1', port: 0 })
    for (const path of ['/../secret.txt', '/..%2fsecret.txt', '/%2e%2e/secret.txt', '/assets/..%5c..%5csecret.txt', '/link.txt', '/up/secret.txt']) {
      expect((await sendRawPath(server, 'GET', `/help${path}`)).body, path).not.toContain(secret)
    }
  })
})

describe('a site that is not built', () => {
  test('says how it is built, and reloads until it is there', async () => {
    const { server, folder } = await startTestServer({ built: false })
    const answer = await get(server, '/help/')
    expect(answer).toMatchObject({ statusCode: 503, headers: { refresh: '2', 'cache-control': 'no-store' } })
    expect(answer.body).toContain('npm run docs')
    writeSite(folder, 'first')
    expect(await get(server, '/help/')).toMatchObject({ statusCode: 200, body: page('first index') })
  })
})

test('is not served without the dashboard', async () => {
  const { server } = await startTestServer({ env: { MILLRACE_UI_ENABLED: 'false' } })
  expect((await get(server, '/help/')).json()).toMatchObject({ code: 'NO_SUCH_ROUTE' })
})
