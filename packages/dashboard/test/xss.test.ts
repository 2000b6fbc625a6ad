import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closePage, newPage, type OpenPage } from './browser.ts'
import { eventually } from './eventually.ts'
import { hostileTexts } from './hostile-texts.ts'
import type { OpenServer } from './open-server.ts'
import { type Hostile, marker, seedHostile } from './seed-hostile-texts.ts'
import { openTestServer } from './test-server.ts'

let open: OpenServer
let page: OpenPage
let address: string
let hostile: Hostile
/** Scripts that ran, foreign requests, opened pages and policy violations. Must stay empty. */
const incidents: string[] = []

beforeAll(async () => {
  const opened = await openTestServer(seedHostile)
  open = opened
  ;({ address, made: hostile } = opened)
  page = await newPage(open.browser, address)
  await page.exposeFunction('canary', () => incidents.push(`ran on ${page.url()}`))
  await page.exposeFunction('reportViolation', (what: string) => incidents.push(`policy: ${what}`))
  await page.addInitScript(`
    for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) window[name] = () => canary()
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => reportViolation(violatedDirective + ' ' + blockedURI + ' ' + sample))
  `)
  page.on('dialog', (dialog) => {
    incidents.push(`dialog on ${page.url()}`)
    void dialog.dismiss()
  })
  page.context().on('page', (opened) => incidents.push(`opened ${opened.url()}`))
  page.on('framenavigated', (frame) => {
    if (!frame.url().startsWith(address) && frame.url() !== 'about:blank') incidents.push(`went to ${frame.url()}`)
  })
  page.on('request', (request) => {
    // Images may come from other origins: artifacts contain them.
    if (request.resourceType() === 'image') return
    if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).host !== new URL(address).host) incidents.push(`requested ${request.url()}`)
  })
}, 240_000)
afterAll(async () => {
  await closePage(page)
  await open.close()
})

/** Finds elements and attributes that could run scripts. */
const audit = `(() => {
  const found = []
  for (const element of document.querySelectorAll('body *')) {
    const tag = element.tagName.toLowerCase()
    if (['script', 'iframe', 'object', 'embed', 'base', 'meta', 'link', 'frame', 'foreignobject', 'animate'].includes(tag)) found.push('<' + tag + '>')
    for (const { name, value } of element.attributes) {
      if (name.startsWith('on')) found.push(tag + ' ' + name)
      if (['href', 'src', 'action', 'formaction', 'xlink:href', 'srcdoc', 'data', 'poster'].includes(name)) {
        if (!/^(?:https?:\\/\\/|mailto:|data:image\\/|[/#.?]|$)/i.test(value)) found.push(tag + ' ' + name + '=' + value)
      }
    }
  }
  if (document.querySelectorAll('#root').length !== 1) found.push('#root')
  return found
})()`

const jump = (path: string) => page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)}), dispatchEvent(new PopStateEvent('popstate'))`)

/** Navigates on the client, through an unknown page so that the previous content is gone. */
async function go(path: string): Promise<void> {
  await jump('/no-such-page')
  const none = page.getByText('No page at this address')
  await none.waitFor()
  page.pendingRequests.clear()
  await jump(path)
  await none.waitFor({ state: 'detached' })
  await eventually(async () => page.pendingRequests.size + (await page.locator('main .animate-pulse').count())).toBe(0)
}

/** Checks the page for violations and returns its text. */
async function checkPage(): Promise<string> {
  await page.locator('h1').waitFor()
  expect(await page.evaluate(audit)).toEqual([])
  expect(incidents.splice(0)).toEqual([])
  // A hostile name must not make the page fail.
  expect(await page.getByText('Something went wrong on this page').count()).toBe(0)
  return (await page.evaluate(
    'document.body.innerText + [...document.querySelectorAll("input,textarea,option")].map((each) => each.value).join(" ")',
  )) as string
}

const shownOf = (text: string): number => hostileTexts.filter((_, index) => text.includes(marker(index))).length

test('stores at least 300 hostile texts', () => {
  const count = Object.values(hostile.stored).reduce((sum, each) => sum + each, 0)
  expect(count).toBeGreaterThan(300)
  expect(Object.keys(hostile.stored).length).toBeGreaterThan(20)
})

test('allows only scripts of the same origin by policy', async () => {
  const response = await fetch(address, { headers: { accept: 'text/html' } })
  const policy = response.headers.get('content-security-policy') ?? ''
  const directives = Object.fromEntries(policy.split('; ').map((each) => [each.split(' ')[0], each.split(' ').slice(1).join(' ')]))
  expect(directives['script-src']).toBe("'self'")
  expect(directives['object-src']).toBe("'none'")
  expect(directives['base-uri']).toBe("'self'")
  expect(policy).not.toMatch(/unsafe|\*/)
})

test('detects a script that runs', async () => {
  await page.goto('/settings')
  await page.locator('h1').waitFor()
  await page.evaluate(
    `document.body.insertAdjacentHTML('beforeend', '<img src="data:image/png," onerror="canary()"><a href="javascript:canary()">x</a>')`,
  )
  await eventually(() => incidents.some((each) => each.startsWith('policy: script-src'))).toBe(true)
  await page.evaluate('canary()')
  expect(incidents.splice(0).some((each) => each.startsWith('ran on'))).toBe(true)
  expect(await page.evaluate(audit)).toEqual(['img onerror', 'a href=javascript:canary()'])
})

/** Each page and the minimum number of texts it shows. Long lists show only some of them. */
const all = hostileTexts.length
const pages: readonly (readonly [name: string, path: (stored: Hostile) => string, least: number])[] = [
  ['home', () => '/dashboard', 0],
  ['flows', () => '/flows', 1],
  ['flow', ({ flow }) => `/flows/flow/${flow}`, 1],
  ['runs', () => '/runs', 10],
  ['run: logs', ({ run }) => `/runs/flow-run/${run}`, 20],
  ['run: states', ({ run }) => `/runs/flow-run/${run}?tab=states`, all - 2],
  ['run: parameters', ({ run }) => `/runs/flow-run/${run}?tab=parameters`, all - 2],
  ['run: task runs', ({ run }) => `/runs/flow-run/${run}?tab=tasks`, 10],
  ['run: timeline', ({ run, taskRun }) => `/runs/flow-run/${run}?tab=graph&node=${taskRun}`, 1],
  ['run: dependencies', ({ run, taskRun }) => `/runs/flow-run/${run}?tab=graph&view=dependencies&node=${taskRun}`, 1],
  ['run: list of nodes', ({ run }) => `/runs/flow-run/${run}?tab=graph&view=list`, 10],
  ['run: artifacts', ({ run }) => `/runs/flow-run/${run}?tab=artifacts`, 20],
  ['run: details', ({ run }) => `/runs/flow-run/${run}?tab=details`, 10],
  ['run: paused', ({ pausedRun }) => `/runs/flow-run/${pausedRun}?tab=parameters`, 20],
  ['task run', ({ taskRun }) => `/runs/task-run/${taskRun}`, 1],
  ['task run: states', ({ taskRun }) => `/runs/task-run/${taskRun}?tab=states`, 1],
  ['task run: inputs', ({ taskRun }) => `/runs/task-run/${taskRun}?tab=inputs`, 1],
  ['task run: details', ({ taskRun }) => `/runs/task-run/${taskRun}?tab=details`, 1],
  ['artifacts', () => '/artifacts', 10],
  ['artifact: table', () => '/artifacts/key/all-in-a-table', all - 2],
  ['artifact: other types', () => '/artifacts/key/odd', 1],
  ['deployments', () => '/deployments', 1],
  ['deployment', ({ deployment }) => `/deployments/deployment/${deployment}`, 1],
  ['deployment: run', ({ deployment }) => `/deployments/deployment/${deployment}/run`, 0],
  ['work pools', () => '/work-pools', 1],
  ['work pool', () => '/work-pools/work-pool/hostile', 1],
  ['concurrency limits', () => '/concurrency-limits', 1],
  ['automations', () => '/automations', 1],
  ['automation', ({ automation }) => `/automations/automation/${automation}`, 1],
  ['automation: edit', ({ automation }) => `/automations/automation/${automation}/edit`, 1],
  ['events', () => '/events', 1],
  ['event', ({ event }) => `/events/event/${event}`, 0],
  ['blocks', () => '/blocks', 0],
  ['block catalogue', () => '/blocks/catalog', 0],
  ['block', ({ block }) => `/blocks/block/${block}`, 0],
  ['block: edit', ({ block }) => `/blocks/block/${block}/edit`, 0],
  ['variables', () => '/variables', 1],
  ['settings', () => '/settings', 0],
]

describe('hostile text', () => {
  beforeAll(() => page.goto('/settings'))

  test.each(pages)('is inert on: %s', async (_name, path, least) => {
    await go(path(hostile))
    await eventually(async () => shownOf(await checkPage())).toBeGreaterThanOrEqual(least)
  })

  test.each(['markdown', 'link', 'image', 'progress'])('is inert in artifacts: %s', { timeout: 120_000 }, async (type) => {
    for (const [index, text] of hostileTexts.entries()) {
      const key = `${type}-${index}`
      await jump(`/artifacts/key/${key}`)
      await page.getByRole('heading', { level: 1, name: key, exact: true }).waitFor()
      const article = page.getByRole('article', { name: 'Artifact' })
      await article.getByText(marker(index)).first().waitFor()
      await eventually(() => article.locator('.animate-pulse').count()).toBe(0)
      // Clicks everything that looks like a link.
      for (const link of await article.locator('a:not([href])').all()) await link.click({ force: true, noWaitAfter: true })
      expect(await page.evaluate(audit), text).toEqual([])
      expect(incidents.splice(0), text).toEqual([])
    }
  })

  test('is inert in the command palette', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').or(page.getByRole('dialog').getByRole('textbox')).first().fill('canary')
    await page
      .getByRole('dialog')
      .getByText(/canary/)
      .first()
      .waitFor()
    expect(await page.evaluate(audit)).toEqual([])
    expect(incidents.splice(0)).toEqual([])
    await page.keyboard.press('Escape')
  })

  test('is inert in the URL', async () => {
    for (const [index, text] of hostileTexts.entries()) {
      const place = [
        '/runs?name=',
        '/artifacts?find=',
        `/runs/flow-run/${hostile.run}?tab=graph&view=list&find=`,
        `/runs/flow-run/${hostile.run}?text=`,
      ][index % 4]
      await go(`${place}${encodeURIComponent(text)}`)
      expect(await page.evaluate(audit), text).toEqual([])
      expect(incidents.splice(0), text).toEqual([])
    }
  })
})
