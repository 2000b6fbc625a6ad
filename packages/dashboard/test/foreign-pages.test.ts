import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { type SeededServer, startSeededServer } from './seeded-server.ts'

const password = 'miller:grist'

/** A Millrace server with some settings. */
interface Target {
  readonly address: string
  readonly seeded: SeededServer
}

let browser: Browser
let foreignPort: number
let targets: Record<'open' | 'csrf' | 'password' | 'friendly', Target>
const closing: (() => Promise<unknown>)[] = []

async function startTarget(env: Record<string, string> = {}): Promise<Target> {
  const seeded = await startSeededServer('sqlite::memory:', env)
  closing.push(() => seeded.app.close())
  return { address: await seeded.app.server.listen({ host: '127.0.0.1', port: 0 }), seeded }
}

/** Serves empty pages on another port. */
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
  // Closed first, because servers wait for connections that the browser preopens.
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

/** Runs a function in the page, given as text because the tests have no DOM types. */
const run = <T>(page: Page, script: string, given: unknown): Promise<T> => page.evaluate(`(${script})(${JSON.stringify(given)})`)

const sendRequests = `async ({ api, bodies }) => {
  const post = (path, body, headers = {}) =>
    fetch(api + path, { method: 'POST', mode: 'no-cors', credentials: 'include', headers, body }).catch(() => {})
  await post('/flows/', new Blob([bodies.blob]))
  await post('/flows/', bodies.plain, { 'content-type': 'text/plain' })
  await post('/flows/', new Blob([bodies.beacon], { type: 'application/x-www-form-urlencoded' }))
  await post('/flows/bulk_delete', '{}', { 'content-type': 'text/plain' })
  await post('/flows/filter', null)
  // The preflight request is rejected.
  await fetch(api + '/flows/', { method: 'POST', headers: { 'content-type': 'application/json' }, body: bodies.json }).catch(() => {})
  navigator.sendBeacon(api + '/flows/', new Blob([bodies.beacon]))
}`

/** A form whose field name and value together are valid JSON. */
const sendForm = `({ action, name }) => {
  const frame = document.createElement('iframe')
  frame.name = 'sink'
  const form = Object.assign(document.createElement('form'), { action, method: 'post', enctype: 'text/plain', target: 'sink' })
  form.append(Object.assign(document.createElement('input'), { name, value: '"}}' }))
  document.body.append(frame, form)
  form.submit()
}`

/** Sends from a sandboxed frame, whose origin is null. */
const sendFromSandbox = `({ url, json }) => new Promise((resolve) => {
  const frame = document.createElement('iframe')
  frame.sandbox.add('allow-scripts')
  const request = 'fetch(' + JSON.stringify(url) + ', { method: "POST", mode: "no-cors", body: new Blob([' + JSON.stringify(json) + ']) })'
  frame.srcdoc = '<script>' + request + '.finally(() => parent.postMessage("sent", "*"))</' + 'script>'
  addEventListener('message', () => resolve(), { once: true })
  document.body.append(frame)
})`

/** Sends every kind of request that needs no preflight. */
async function sendEverything(page: Page, address: string): Promise<void> {
  const flow = (name: string) => JSON.stringify({ name })
  const bodies = { blob: flow('blob'), plain: flow('plain'), beacon: flow('beacon'), json: flow('json') }
  await run(page, sendRequests, { api: `${address}/api`, bodies })
  const action = `${address}/api/flows/`
  const answered = page.waitForResponse((response) => response.request().isNavigationRequest() && response.url() === action)
  await run(page, sendForm, { action, name: `${flow('form').slice(0, -1)},"labels":{"a":"` })
  expect((await answered).status()).toBe(403)
  await run(page, sendFromSandbox, { url: action, json: flow('sandbox') })
}

type Socketed = 'opened' | 'refused'

const tryOpening = `({ url, protocols, message }) => new Promise((resolve) => {
  const socket = new WebSocket(url, protocols)
  socket.onopen = () => {
    socket.send(JSON.stringify(message))
    resolve('opened')
  }
  socket.onerror = () => resolve('refused')
})`

/** Tries to open a socket and send a message. */
const openSocket = (page: Page, url: string, protocols: string[], message: object): Promise<Socketed> =>
  run(page, tryOpening, { url, protocols, message })

const postStatus = `async ({ url, type, json }) => (await fetch(url, { method: 'POST', body: new Blob([json], { type }) })).status`

const sockets = ['/events/in', '/events/out', '/logs/out', '/task_runs/subscriptions/scheduled', '/work_pools/p/workers/connect']

describe.each(['127.0.0.1', 'localhost'])('a page of another origin at %s', (host) => {
  test.each(['open', 'csrf', 'password'] as const)('cannot write to or read from a server: %s', async (kind) => {
    const { address, seeded } = targets[kind]
    const [username = '', secret = ''] = password.split(':')
    const use = async (page: Page) => {
      if (kind === 'password') {
        // The browser stores the credentials and sends them with later requests.
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

test('lets a page of an allowed origin write, read and subscribe', async () => {
  const { address, seeded } = targets.friendly
  await withPageAt(`http://localhost:${foreignPort}`, async (page) => {
    expect(await run(page, postStatus, { url: `${address}/api/flows/`, type: 'application/json', json: '{"name":"friend"}' })).toBe(201)
    expect(await openSocket(page, `${address.replace('http', 'ws')}/api/events/out`, ['prefect'], { type: 'auth' })).toBe('opened')
  })
  expect(await seeded.call('POST', '/flows/filter', {})).toMatchObject([{ name: 'friend' }])
})

test('lets a page of the same origin write with a JSON content type and subscribe', async () => {
  const { address } = await startTarget()
  await withPageAt(`${address}/docs`, async (page) => {
    const post = (type: string, json: string) => run(page, postStatus, { url: `${address}/api/flows/`, type, json })
    expect([await post('application/json', '{"name":"own"}'), await post('', '{"name":"blob"}')]).toEqual([201, 415])
    expect(await openSocket(page, `${address.replace('http', 'ws')}/api/events/out`, ['prefect'], { type: 'auth' })).toBe('opened')
  })
})

test('rejects requests after DNS rebinding', async () => {
  const { port } = new URL(targets.open.address)
  await withPageAt('about:blank', async (page) => {
    for (const path of ['/', '/runs', '/api/admin/settings', '/docs']) {
      const answer = await page.goto(`http://rebound.example:${port}${path}`)
      expect([path, answer?.status()]).toEqual([path, 421])
    }
    expect(await run(page, postStatus, { url: '/api/flows/bulk_delete', type: 'application/json', json: '{}' })).toBe(421)
    expect(await openSocket(page, `ws://rebound.example:${port}/api/events/out`, ['prefect'], {})).toBe('refused')
  })
})
