import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { swaggerUiFiles } from '../../src/http/api-reference.ts'
import { startInMemoryApp, startRawClient } from './in-memory-app.ts'

const folder = join(import.meta.dirname, '../../src/http/api-reference')

/** What a browser does with the page is tested in packages/dashboard/test/api-reference.test.ts. */
describe('/docs', () => {
  test('is a page that allows only files of its own origin and no inline code', async () => {
    const app = await startInMemoryApp({ MILLRACE_SERVER_API_AUTH_STRING: 'a:b' })
    for (const url of ['/docs', '/api/docs', '/docs?x=/']) {
      const { statusCode, headers, body } = await app.server.inject({ method: 'GET', url, headers: { accept: 'text/html' } })
      expect([url, statusCode, headers['content-type']]).toEqual([url, 200, 'text/html; charset=utf-8'])
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|style=|https?:\/\//)
    }
  })

  test('serves every file that the page loads, and the page loads every file', async () => {
    const app = await startInMemoryApp()
    const { body: page } = await app.server.inject({ method: 'GET', url: '/docs' })
    const names = [...page.matchAll(/(?:src|href)="docs\/assets\/([\w.-]+)"/g)].map(([, name]) => name!)
    for (const name of names) {
      const { statusCode, headers } = await app.server.inject({ method: 'GET', url: `/docs/assets/${name}` })
      expect([name, statusCode]).toEqual([name, 200])
      expect(headers['content-type']).toBe(name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8')
    }
    expect([...names, 'page.html'].sort()).toEqual([...(await readdir(folder)), ...swaggerUiFiles].sort())
  })

  test('serves no other file of its folders', async () => {
    const send = await startRawClient(await startInMemoryApp())
    for (const path of [
      '/docs/assets/page.html',
      '/docs/assets/..%2fapi-reference.ts',
      '/docs/assets/../api-reference.ts',
      '/docs/assets/swagger-ui-bundle.js.map',
      '/docs/assets/index.html',
      '/docs/assets/',
      '/docs/assets/x.js',
      '/docs/x',
    ]) {
      const { status, headers } = await send('GET', path)
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'application/json; charset=utf-8'])
    }
  })

  test('redirects from a trailing slash to the page below any proxy path', async () => {
    const app = await startInMemoryApp({ MILLRACE_SERVER_BASE_PATH: '/mill' })
    for (const url of ['/docs/', '/mill/api/docs/']) {
      const { statusCode, headers } = await app.server.inject({ method: 'GET', url })
      expect([statusCode, new URL(String(headers.location), `http://x${url}`).pathname]).toEqual([308, url.slice(0, -1)])
    }
    expect((await app.server.inject({ method: 'GET', url: '/mill/docs' })).statusCode).toBe(200)
  })

  test('answers 304 for a file that the browser has', async () => {
    const app = await startInMemoryApp()
    const first = await app.server.inject({ method: 'GET', url: '/docs/assets/page.css' })
    const again = await app.server.inject({ method: 'GET', url: '/docs/assets/page.css', headers: { 'if-none-match': String(first.headers.etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    expect((await app.server.inject({ method: 'HEAD', url: '/docs' })).statusCode).toBe(200)
  })

  test('is not an operation of the API', async () => {
    const { body } = await (await startInMemoryApp()).call('GET', '/openapi.json')
    expect(Object.keys(body.paths).filter((path) => path.startsWith('/docs'))).toEqual([])
  })
})
