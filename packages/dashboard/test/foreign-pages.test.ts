import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { type Seeded, startSeeded } from './seed.ts'

const password = 'miller:grist'

/** A server of ours in some setting. */
interface Target {
  readonly address: string
  readonly seeded: Seeded
}

let browser: Browser
let foreignPort: number
let targets: Record<'open' | 'csrf' | 'password' | 'friendly', Target>
const closing: (() => Promise<unknown>)[] = []

async function startTarget(env: Record<string, string> = {}): Promise<Target> {
  const seeded = await startSeeded('sqlite::memory:', env)
  closing.push(() => seeded.app.close())
  return { address: await seeded.app.server.listen({ host: '127.0.0.1', port: 0 }), seeded }
}

/** Pages of another port, with nothing on them. */
async function startForeign(): Promise<number> {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><title>elsewhere</title>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  foreignPort = await startForeign()
  targets = {
    open: await startTarget(),
    csrf: await startTarget({ MILLRACE_SERVER_API_CSRF_PROTECTION_ENABLED: 'true' }),
    password: await startTarget({ MILLRACE_SERVER_API_AUTH_STRING: password }),
    friendly: await startTarget({ MILLRACE_SERVER_API_CORS_ALLOWED_ORIGINS: `http://localhost:${foreignPort}` }),
  }
  browser = await launchBrowser(['--host-resolver-rules=MAP rebound.example 127.0.0.1'])
}, 240_000)
afterAll(async () => {
  // First, since servers wait for connections that a browser opens in advance.
  await browser?.close()
  for (const close of closing) await close()
})

async function withPageAt(url: string, use: (page: Page) => Promise<void>, credentials?: { username: string; password: string; origin: string }) {
  const context = await browser.newContext(credentials ? { httpCredentials: credentials } : {})
  try {
    const page = await context.newPage()
    await page.goto(url)
    await use(page)
  } finally {
    await context.close()
  }
}

const event = (name: string) => ({ id: crypto.randomUUID(), occurred: '2030-01-01T00:00:00Z', event: name, resource: { 'prefect.resource.id': 'x' } })

/** All that a page can send without asking in advance. A body may be any text, forms included. */
async function sendEverything(page: Page, address: string): Promise<void> {
  const flow = (name: string) => JSON.stringify({ name })
  await page.evaluate(
    async ({ api, bodies }) => {
      const post = (path: string, body: BodyInit | null, headers: Record<string, string> = {}) =>
        fetch(api + path, { method: 'POST', mode: 'no-cors', credentials: 'include', headers, body }).catch(() => {})
      await post('/flows/', new Blob([bodies.blob]))
      await post('/flows/', bodies.plain, { 'content-type': 'text/plain' })
      await post('/flows/', new Blob([bodies.beacon], { type: 'application/x-www-form-urlencoded' }))
      await post('/flows/bulk_delete', '{}', { 'content-type': 'text/plain' })
      await post('/flows/filter', null)
      // Asked in advance, and refused then.
      await post('/flows/', bodies.json, { 'content-type': 'application/json' })
      await fetch(`${api}/flows/`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: bodies.json }).catch(() => {})
      navigator.sendBeacon(`${api}/flows/`, new Blob([bodies.beacon]))
    },
    { api: `${address}/api`, bodies: { blob: flow('blob'), plain: flow('plain'), beacon: flow('beacon'), json: flow('json') } },
  )
  await postForm(page, address, 'text/plain', flow('form'))
  await postFromSandbox(page, address, flow('sandbox'))
}

/** A form whose only field's name and value are a JSON text together. */
async function postForm(page: Page, address: string, type: string, json: string): Promise<void> {
  const answered = page.waitForResponse((response) => response.request().method() === 'POST' && response.url() === `${address}/api/flows/`)
  await page.evaluate(
    ({ action, type, name }) => {
      const frame = document.createElement('iframe')
      frame.name = 'sink'
      const form = Object.assign(document.createElement('form'), { action, method: 'post', enctype: type, target: 'sink' })
      const field = Object.assign(document.createElement('input'), { name, value: '"}' })
      form.append(field)
      document.body.append(frame, form)
      form.submit()
    },
    { action: `${address}/api/flows/`, type, name: `${json.slice(0, -1)},"labels":{"a":"` },
  )
  expect((await answered).status()).toBe(403)
}

/** Its origin is `null`. */
async function postFromSandbox(page: Page, address: string, json: string): Promise<void> {
  await page.evaluate(
    ({ url, json }) =>
      new Promise((resolve) => {
        const frame = document.createElement('iframe')
        frame.sandbox.add('allow-scripts')
        frame.srcdoc = `<script>fetch(${JSON.stringify(url)}, { method: 'POST', mode: 'no-cors', body: new Blob([${JSON.stringify(json)}]) }).finally(() => parent.postMessage('sent', '*'))</script>`
        addEventListener('message', resolve, { once: true })
        document.body.append(frame)
      }),
    { url: `${address}/api/flows/`, json },
  )
}

type Socketed = 'opened' | 'refused'

/** Tries to open a socket, and to send through it. */
const openSocket = (page: Page, url: string, protocols: string[], message: object): Promise<Socketed> =>
  page.evaluate(
    ({ url, protocols, message }) =>
      new Promise<Socketed>((resolve) => {
        const socket = new WebSocket(url, protocols)
        socket.onopen = () => {
          socket.send(JSON.stringify(message))
          resolve('opened')
        }
        socket.onerror = () => resolve('refused')
      }),
    { url, protocols, message },
  )

const sockets = ['/events/in', '/events/out', '/logs/out', '/task_runs/subscriptions/scheduled', '/work_pools/p/workers/connect']

describe.each(['127.0.0.1', 'localhost'])('a page of another origin, at %s and another port', (host) => {
  test.each(['open', 'csrf', 'password'] as const)('creates nothing and reads nothing on a server: %s', async (kind) => {
    const { address, seeded } = targets[kind]
    const [username = '', secret = ''] = password.split(':')
    const use = async (page: Page) => {
      if (kind === 'password') {
        // The browser keeps what was entered, and sends it along from now on.
        expect((await page.goto(`${address}/api/version`))?.status()).toBe(200)
        await page.goto(`http://${host}:${foreignPort}`)
      }
      await sendEverything(page, address)
      for (const path of sockets) {
        for (const protocols of [[], ['prefect']]) {
          const url = `${address.replace('http', 'ws')}/api${path}`
          expect([path, await openSocket(page, url, protocols, event('forged'))]).toEqual([path, 'refused'])
        }
      }
    }
    await withPageAt(`http://${host}:${foreignPort}`, use, { username, password: secret, origin: address })
    expect(await seeded.call('POST', '/flows/filter', {})).toEqual([])
    expect((await seeded.call('POST', '/events/filter', {})).events).toEqual([])
  })
})

test('a page of an allowed origin creates things, reads them and listens', async () => {
  const { address, seeded } = targets.friendly
  await withPageAt(`http://localhost:${foreignPort}`, async (page) => {
    const status = await page.evaluate(async (url) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"friend"}' }
      return (await fetch(url, init)).status
    }, `${address}/api/flows/`)
    expect(status).toBe(201)
    expect(await openSocket(page, `${address.replace('http', 'ws')}/api/events/out`, ['prefect'], { type: 'auth' })).toBe('opened')
  })
  expect(await seeded.call('POST', '/flows/filter', {})).toMatchObject([{ name: 'friend' }])
})

test('a page of our own creates things and listens, if it calls its body JSON', async () => {
  const { address } = await startTarget()
  await withPageAt(`${address}/docs`, async (page) => {
    const statuses = await page.evaluate(async (url) => {
      const post = (body: BodyInit, headers: Record<string, string> = {}) => fetch(url, { method: 'POST', headers, body })
      const named = await post('{"name":"own"}', { 'content-type': 'application/json' })
      const unnamed = await post(new Blob(['{"name":"blob"}']))
      return [named.status, unnamed.status]
    }, `${address}/api/flows/`)
    expect(statuses).toEqual([201, 415])
    expect(await openSocket(page, `${address.replace('http', 'ws')}/api/events/out`, ['prefect'], { type: 'auth' })).toBe('opened')
  })
})

test('a name that is pointed at us after its page was loaded gets nothing', async () => {
  const { port } = new URL(targets.open.address)
  await withPageAt('about:blank', async (page) => {
    for (const path of ['/', '/runs', '/api/admin/settings', '/docs']) {
      const answer = await page.goto(`http://rebound.example:${port}${path}`)
      expect([path, answer?.status()]).toEqual([path, 421])
    }
    const deleted = await page.evaluate(async () => (await fetch('/api/flows/bulk_delete', { method: 'POST' })).status)
    expect(deleted).toBe(421)
    expect(await openSocket(page, `ws://rebound.example:${port}/api/events/out`, ['prefect'], {})).toBe('refused')
  })
})
