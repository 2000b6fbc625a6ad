import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closePage, newPage, type OpenPage, visitAndSettle } from './browser.ts'
import { eventually } from './eventually.ts'
import type { OpenSeededServer } from './open-server.ts'
import { startSeededServer } from './seeded-server.ts'
import { openSeededTestServer } from './test-server.ts'

const secret = 'ada:lovelace:1815'
let open: OpenSeededServer
beforeAll(async () => {
  open = await openSeededTestServer({
    MILLRACE_SERVER_API_AUTH_STRING: secret,
    MILLRACE_SERVER_BASE_PATH: '/mill',
    MILLRACE_SERVER_API_CSRF_PROTECTION_ENABLED: 'true',
  })
})
afterAll(() => open.close())

async function signIn(page: OpenPage, password: string): Promise<void> {
  await page.getByRole('textbox', { name: 'User' }).fill('ada')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe('a server with authentication and CSRF tokens below a base path', () => {
  test('signs in for the tab, with live updates', async () => {
    const page = await newPage(open.browser, open.address)
    await page.goto('/mill/runs?state=Late')
    await signIn(page, 'wrong')
    await page.getByText('Wrong user name or password.').waitFor()
    await signIn(page, 'lovelace:1815')
    await page.getByRole('table', { name: 'Runs' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.reload()
    await page.getByRole('table', { name: 'Runs' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/mill/runs')
    // The browser logs the 401 answers, and a 403 before the CSRF token.
    expect(page.consoleErrors.filter((complaint) => !/40[13]/.test(complaint))).toEqual([])
    await closePage(page)
  })

  test('works behind a proxy that strips the base path and blocks websockets', async () => {
    const proxy = createServer((incoming, outgoing) => {
      const path = (incoming.url ?? '/').replace(/^\/mill/, '')
      const sent = request(new URL(path || '/', open.address), { method: incoming.method, headers: incoming.headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      incoming.pipe(sent)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const { port } = proxy.address() as AddressInfo
    const page = await newPage(open.browser, `http://127.0.0.1:${port}`)
    await page.clock.install()
    await page.goto('/mill/')
    await signIn(page, 'lovelace:1815')
    await page.getByRole('region', { name: 'Running now' }).getByRole('link').first().waitFor()
    await page.getByRole('link', { name: 'Variables' }).click()
    await page.getByRole('cell', { name: 'batch_size', exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/mill/variables')
    // The proxy leaves websocket handshakes unanswered. The page waits 8 seconds for one.
    await page.clock.fastForward('00:08')
    await page.getByText('Every 5 s').waitFor()
    await closePage(page)
    proxy.closeAllConnections()
    proxy.close()
  })
})

describe('every page', () => {
  let page: OpenPage
  beforeAll(async () => {
    page = await newPage(open.browser, open.address)
    await visitAndSettle(page, '/mill/dashboard')
    await signIn(page, 'lovelace:1815')
    await page.getByRole('region', { name: 'Running now' }).getByRole('link').first().waitFor()
  })
  afterAll(() => closePage(page))

  test('links to the documentation below the base path', async () => {
    const link = page.getByRole('link', { name: 'Documentation' })
    expect(await link.evaluate((element) => (element as unknown as { href: string }).href)).toBe(`${open.address}/mill/help/`)
  })

  test('opens pages, flows and runs from the command palette', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('artif')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/artifacts')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('warehouse')
    await page.getByRole('option', { name: /warehouse-load.*Flow/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/flows/flow/${open.seed.flows['warehouse-load']}`)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill(open.seed.failedRun)
    await page.getByRole('option', { name: /Run$/ }).click()
    await page.waitForURL(`**/runs/flow-run/${open.seed.failedRun}`)
  })

  test('navigates by keyboard shortcuts and lists them in a dialog', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.waitForURL('**/work-pools')
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Go to Work pools').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('remembers theme, time zone and clock', async () => {
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('combobox', { name: 'Theme' }).selectOption('Dark')
    await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Tokyo')
    await page.getByRole('combobox', { name: 'Clock' }).selectOption('12 hours')
    await page.reload()
    await page.locator('html[data-theme=dark]').waitFor()
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    const time = page.getByRole('table', { name: 'Runs' }).locator('time').first()
    await time.waitFor()
    await eventually(() => time.textContent()).toMatch(/ [ap]m$/i)
    await eventually(() => time.getAttribute('title')).toContain('GMT+9')
  })

  test('runs commands from the command palette', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('light th')
    await page.getByRole('option', { name: /Light theme/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('html[data-theme=light]').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('broken')
    await page.getByRole('option', { name: /Show failed runs/ }).click()
    await page.waitForURL('**/mill/runs?state=Failed&state=Crashed')
    const count = await open.call('POST', '/flow_runs/count', { flow_runs: { state: { type: { any_: ['FAILED', 'CRASHED'] } } } })
    await page.getByRole('status').getByText(String(count), { exact: true }).waitFor()
  })

  test('shows a breadcrumb', async () => {
    await page.goto(`/mill/automations/automation/${open.seed.automation}/edit`)
    const way = page.getByRole('navigation', { name: 'Breadcrumb' })
    await way.getByRole('link', { name: 'Tell the data team' }).click()
    await page.waitForURL(`**/mill/automations/automation/${open.seed.automation}`)
    await way.getByRole('link', { name: 'Automations' }).click()
    await page.waitForURL('**/mill/automations')
    await eventually(() => page.title()).toBe('Automations · Millrace')
  })

  test('redirects old URLs', async () => {
    const pool = await open.call('GET', '/work_pools/gpu')
    const { seed } = open
    for (const [old, now] of [
      ['flow-runs', 'runs'],
      [`flow-runs/flow-run/${seed.failedRun}`, `runs/flow-run/${seed.failedRun}`],
      [`task-runs/task-run/${seed.taskRun}`, `runs/task-run/${seed.taskRun}`],
      ['notifications', 'automations'],
      ['work-queues', 'work-pools'],
      [`work-pools/work-pool/${pool.id}`, 'work-pools/work-pool/gpu'],
    ] as const) {
      await page.goto(`/mill/${old}`)
      await page.waitForURL((url) => url.pathname === `/mill/${now}`)
      await page.locator('h1').waitFor()
    }
    await page.goto(`/mill/work-queues/work-queue/${pool.default_queue_id}`)
    await page.waitForURL((url) => url.pathname.startsWith('/mill/work-pools/work-pool/gpu'))
  })

  test('opens every URL that notifications use', async () => {
    const { seed } = open
    for (const [path, title] of [
      [`flows/flow/${seed.flows['sync-crm']}`, 'sync-crm'],
      [`deployments/deployment/${seed.deployments['sync-crm']}`, 'half-hourly'],
      [`automations/automation/${seed.automation}`, 'Tell the data team'],
      [`blocks/block/${seed.block}`, 'data-team'],
      [`events/event/${seed.event}`, 'prefect.flow-run.Failed'],
      [`events?resource=prefect.flow-run.${seed.failedRun}`, 'Events'],
      ['work-pools/work-pool/gpu', 'gpu'],
    ] as const) {
      await page.goto(`/mill/${path}`)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
    }
  })

  test('reports an unknown URL and links home', async () => {
    await page.goto('/mill/no/such/page')
    await page.getByText('No page at this address').waitFor()
    await page.getByRole('link', { name: 'Go to Home' }).click()
    await page.waitForURL('**/mill/dashboard')
  })

  test('loads nothing from other origins', async () => {
    const foreign: string[] = []
    page.on('request', (sent) => {
      if (!sent.url().startsWith(open.address)) foreign.push(sent.url())
    })
    await visitAndSettle(page, '/mill/dashboard')
    expect(foreign).toEqual([])
  })
})

test('asks for credentials after sign-out', async () => {
  const page = await newPage(open.browser, open.address)
  await page.goto('/mill/settings')
  await signIn(page, 'lovelace:1815')
  await page.getByRole('region', { name: 'Signed in' }).getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await eventually(() => page.evaluate(`sessionStorage.getItem('millrace.credentials')`)).toBeNull()
  await closePage(page)
})

test('shows a command to copy in empty states', async () => {
  const empty = await startSeededServer('sqlite::memory:')
  const page = await newPage(open.browser, await empty.app.server.listen({ host: '127.0.0.1', port: 0 }))
  for (const [path, command] of [
    ['runs', /^prefect deployment run/],
    ['flows', /PREFECT_API_URL/],
    ['deployments', /^prefect deploy/],
    ['automations', /^prefect automation create/],
    ['blocks', /^prefect block create/],
    ['variables', /^prefect variable set/],
  ] as const) {
    await page.goto(`/${path}`)
    await page.getByRole('main').locator('pre').filter({ hasText: command }).first().waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Copy' }).first().waitFor()
  }
  expect(page.consoleErrors).toEqual([])
  await closePage(page)
  await empty.app.close()
})
