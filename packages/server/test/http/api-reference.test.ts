import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Fault } from '../../src/errors.ts'
import { compileReader } from '../../src/http/compile-reader.ts'
import { startInMemoryApp, startRawClient } from './in-memory-app.ts'

const folder = join(import.meta.dirname, '../../src/http/reference')

/** The page's own modules are JavaScript, for browsers. */
// biome-ignore lint/suspicious/noExplicitAny: what they are given and give is what the test is about
const page = (name: string): Promise<any> => import(pathToFileURL(join(folder, name)).href)

describe('/docs', () => {
  test('is a page that loads nothing from elsewhere and runs nothing but its own', async () => {
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

  test('every file that the page and its scripts ask for is served, and every file is asked for', async () => {
    const app = await startInMemoryApp()
    const asked = new Set<string>()
    const follow = async (name: string) => {
      if (asked.has(name)) return
      asked.add(name)
      const { statusCode, headers, body } = await app.server.inject({ method: 'GET', url: `/docs/assets/${name}` })
      expect([name, statusCode]).toEqual([name, 200])
      expect(headers['content-type']).toBe(name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8')
      expect(body).not.toMatch(/https?:\/\/|\beval\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write/)
      for (const [, inner] of body.matchAll(/from '\.\/([\w.-]+)'/g)) await follow(inner!)
    }
    const { body } = await app.server.inject({ method: 'GET', url: '/docs' })
    for (const [, name] of body.matchAll(/(?:src|href)="docs\/assets\/([\w.-]+)"/g)) await follow(name!)
    expect([...asked, 'page.html'].sort()).toEqual((await readdir(folder)).sort())
  })

  test('nothing else is served from beside them', async () => {
    const say = await startRawClient(await startInMemoryApp())
    for (const path of [
      '/docs/assets/page.html',
      '/docs/assets/..%2freference.ts',
      '/docs/assets/../reference.ts',
      '/docs/assets/',
      '/docs/assets/x.js',
      '/docs/x',
    ]) {
      const { status, headers } = await say('GET', path)
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'application/json; charset=utf-8'])
    }
  })

  test('with a slash at the end it leads to the page, wherever a proxy shows it', async () => {
    const app = await startInMemoryApp({ MILLRACE_SERVER_BASE_PATH: '/mill' })
    for (const url of ['/docs/', '/mill/api/docs/']) {
      const { statusCode, headers } = await app.server.inject({ method: 'GET', url })
      expect([statusCode, new URL(String(headers.location), `http://x${url}`).pathname]).toEqual([308, url.slice(0, -1)])
    }
    expect((await app.server.inject({ method: 'GET', url: '/mill/docs' })).statusCode).toBe(200)
  })

  test('files that a browser has are not sent again', async () => {
    const app = await startInMemoryApp()
    const first = await app.server.inject({ method: 'GET', url: '/docs/assets/page.css' })
    const again = await app.server.inject({ method: 'GET', url: '/docs/assets/page.css', headers: { 'if-none-match': String(first.headers.etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    expect((await app.server.inject({ method: 'HEAD', url: '/docs' })).statusCode).toBe(200)
  })

  test('it is no operation of the API', async () => {
    const { body } = await (await startInMemoryApp()).call('GET', '/openapi.json')
    expect(Object.keys(body.paths).filter((path) => path.startsWith('/docs'))).toEqual([])
  })
})

test('every operation can be shown, and the example of its body is one that the server takes', async () => {
  const { routes, call } = await startInMemoryApp()
  const { body: document } = await call('GET', '/openapi.json')
  const shapes = document.components.schemas
  const { operationsOf } = await page('operations.js')
  const { exampleOf } = await page('example.js')
  const { kindOf, remarksOn, objectsWithin } = await page('schemas.js')
  const operations = operationsOf(document)
  expect(operations.length).toBe(routes.length - 1)
  for (const operation of operations) {
    const schema = operation.requestBody?.content['application/json'].schema
    if (!schema) continue
    const route = routes.find(({ method, path }) => method === operation.method && path.replaceAll(/:(\w+)/g, '{$1}') === operation.path)!
    const read = compileReader(route.body!)
    for (const all of [false, true]) {
      const faults: Fault[] = []
      read(exampleOf(schema, shapes, all), ['body'], faults)
      expect([operation.id, all, faults]).toEqual([operation.id, all, []])
    }
    expect(kindOf(schema, shapes)).toMatch(/\w/)
    expect(remarksOn(schema, shapes)).toEqual(expect.any(Array))
    expect(objectsWithin(schema, shapes).length).toBeGreaterThanOrEqual(0)
  }
})

test('operations are found by all words in any order', async () => {
  const { isFound, operationsOf } = await page('operations.js')
  const document = { paths: { '/flow_runs/filter': { post: { operationId: 'x', summary: 'List flow runs', tags: ['Flow Runs'] } } } }
  const [operation] = operationsOf(document)
  for (const query of ['', 'post', 'runs list', 'FILTER flow_runs', '  post   filter '])
    expect([query, isFound(operation, query)]).toEqual([query, true])
  for (const query of ['get', 'list nothing']) expect([query, isFound(operation, query)]).toEqual([query, false])
})

test('a shape that holds itself ends', async () => {
  const { exampleOf } = await page('example.js')
  const { kindOf, objectsWithin } = await page('schemas.js')
  const shapes = {
    Tree: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string' },
        left: { $ref: '#/components/schemas/Tree' },
        all: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
      },
    },
  }
  const tree = { $ref: '#/components/schemas/Tree' }
  expect(exampleOf(tree, shapes)).toEqual({ name: 'example' })
  expect(exampleOf(tree, shapes, true)).toEqual({ name: 'example' })
  expect(kindOf({ type: 'array', items: tree }, shapes)).toBe('array of Tree')
  expect(objectsWithin({ anyOf: [tree, { type: 'null' }] }, shapes)).toMatchObject([{ name: 'Tree' }])
})

test('JSON is laid out without being altered', async () => {
  const text = '{"big":12345678901234567890,"one":1.0,"list":[],"map":{},"text":"a,{\\"b\\": [1]}","deep":[{"a":null},-1e5]}'
  // The module makes elements only when it is asked to show something.
  const { indented } = await page('json-view.js')
  const laidOut = indented(text)
  expect(laidOut.split('\n').slice(0, 4)).toEqual(['{', '  "big": 12345678901234567890,', '  "one": 1.0,', '  "list": [],'])
  expect(laidOut.replaceAll(/\n\s*/g, '').replaceAll('": ', '":')).toBe(text.replaceAll('": ', '":'))
  expect(JSON.parse(laidOut)).toEqual(JSON.parse(text))
})

test('a request as a command says what is sent and keeps the password out', async () => {
  const { curlOf } = await page('curl.js')
  const request = { method: 'POST', url: 'http://x/api/flows/?a=1&b=2', headers: { 'content-type': 'application/json' }, body: `{"name":"it's"}` }
  expect(curlOf(request, 'miller')).toBe(
    [`curl`, `-X POST`, `-u miller`, `-H 'content-type: application/json'`, `--data-raw '{"name":"it'\\''s"}'`, `'http://x/api/flows/?a=1&b=2'`].join(
      ' \\\n  ',
    ),
  )
  expect(curlOf({ method: 'GET', url: 'http://x/api/health', headers: {} })).toBe('curl \\\n  http://x/api/health')
})
