import { describe, expect, test } from 'vitest'
import type { TestApp } from '../setup.ts'
import { startInMemoryApp, startRawClient } from './in-memory-app.ts'

async function startWithEvents(env: Record<string, string> = {}): Promise<TestApp> {
  const app = await startInMemoryApp({ MILLRACE_SERVER_ALLOWED_HOSTS: '*', ...env })
  await app.call(
    'POST',
    '/events',
    [1, 2, 3].map((number) => ({
      occurred: `2030-01-01T00:00:0${number}Z`,
      event: 'mill.turned',
      resource: { 'prefect.resource.id': 'mill.1' },
      id: `00000000-0000-4000-8000-00000000000${number}`,
    })),
  )
  return app
}

const filter = { filter: { occurred: { since: '2029-12-31T00:00:00Z', until: '2030-01-02T00:00:00Z' } }, limit: 1 }

async function nextPage(app: TestApp, path: string, headers: Record<string, string> = {}): Promise<string> {
  const { status, body } = await app.call('POST', path, filter, headers)
  expect([status, body.total]).toEqual([200, 3])
  return body.next_page.replace(/(?<=page-token=).*/, '…')
}

describe('links to the next page', () => {
  test('use the host of the request', async () => {
    const app = await startWithEvents()
    expect(await nextPage(app, '/api/events/filter', { host: 'mill.example:8080' })).toBe(
      'http://mill.example:8080/api/events/filter/next?page-token=…',
    )
    expect(await nextPage(app, '/events/filter', { host: '[::1]:4200' })).toBe('http://[::1]:4200/events/filter/next?page-token=…')
    expect(await nextPage(app, '/api/events/filter/', { host: 'localhost' })).toBe('http://localhost/api/events/filter/next?page-token=…')
  })

  test('can be followed to the last page', async () => {
    const app = await startWithEvents()
    let { body } = await app.call('POST', '/api/events/filter', filter)
    const seen = [body.events[0].id]
    while (body.next_page) {
      body = (await app.call('GET', new URL(body.next_page).pathname + new URL(body.next_page).search)).body
      seen.push(body.events[0].id)
    }
    expect(seen.map((id: string) => id.at(-1))).toEqual(['3', '2', '1'])
  })

  test('contain the base path, whether the proxy keeps or strips it', async () => {
    const app = await startWithEvents({ MILLRACE_SERVER_BASE_PATH: '/mill' })
    const headers = { host: 'proxy.example' }
    for (const path of ['/mill/api/events/filter', '/api/events/filter']) {
      expect(await nextPage(app, path, headers)).toBe('http://proxy.example/mill/api/events/filter/next?page-token=…')
    }
  })

  test('ignore forwarded headers', async () => {
    const app = await startWithEvents()
    const forged = {
      host: 'mill.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'javascript',
      'x-forwarded-port': '1',
      'x-forwarded-prefix': '/evil',
      'x-original-url': '/evil',
      'x-rewrite-url': '/evil',
      forwarded: 'host=evil.example;proto=https',
    }
    expect(await nextPage(app, '/api/events/filter', forged)).toBe('http://mill.example/api/events/filter/next?page-token=…')
  })

  test('ignore a host in the request line', async () => {
    const app = await startWithEvents()
    const say = await startRawClient(app)
    const headers = { host: 'mill.example', 'content-type': 'application/json' }
    const { body } = await say('POST', 'http://evil.example/api/events/filter', headers, JSON.stringify(filter))
    expect(JSON.parse(body).next_page).toMatch(/^http:\/\/mill\.example\/api\/events\/filter\/next\?page-token=/)
  })
})

test.each(['evil.example/x', 'a b', 'user@evil.example', 'x?y', 'x#y', '[::1', 'a,b', 'x:port', '<script>', 'x:123456'])(
  '%j is no host',
  async (host) => {
    const say = await startRawClient(await startInMemoryApp())
    const { status, body } = await say('GET', '/version', { host })
    expect([status, JSON.parse(body).code]).toEqual([400, 'BAD_REQUEST'])
  },
)
