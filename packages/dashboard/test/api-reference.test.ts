import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePage, launchBrowser, newPage, type OpenPage } from './browser.ts'
import { type SeededServer, startSeededServer } from './seeded-server.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

/** Opens the page on a server of its own. Fails on any console message, violations of the content security policy among them. */
async function withReference(path: string, env: Record<string, string>, use: (page: OpenPage, server: SeededServer) => Promise<void>): Promise<void> {
  const server = await startSeededServer('sqlite::memory:', env)
  const page = await newPage(browser, await server.app.server.listen({ host: '127.0.0.1', port: 0 }))
  try {
    await page.goto(path)
    await use(page, server)
    expect(page.consoleErrors.filter((message) => !page.allowedErrors.some((each) => each.test(message)))).toEqual([])
  } finally {
    await closePage(page)
    await server.app.close()
  }
}

/** Finds an operation by the filter, since only operations in view are in the document. */
async function openOperation(page: OpenPage, method: string, path: string): Promise<Locator> {
  await page.getByPlaceholder('Filter by').fill(`${method} ${path}`)
  const operation = page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${path}"]`) })
  await operation.locator('.opblock-summary').click()
  await operation.getByRole('button', { name: 'Try it out' }).click()
  return operation
}

/** Creates a flow with "Try it out" and returns the status that the page shows. */
async function createFlow(page: OpenPage, name: string): Promise<string> {
  const operation = await openOperation(page, 'post', '/flows/')
  await operation.locator('textarea').fill(JSON.stringify({ name }))
  await operation.getByRole('button', { name: 'Execute' }).click()
  return operation.locator('.live-responses-table .response-col_status').last().innerText()
}

/** Scrolls through the list, of which the page holds only the part in view. */
async function listOperations(page: OpenPage): Promise<Set<string>> {
  const listed = new Set<string>()
  const viewportHeight = 900
  await page.locator('.opblock').first().waitFor()
  for (let y = 0; y < (await page.evaluate<number>('document.documentElement.scrollHeight')); y += viewportHeight / 2) {
    // Two frames: one to notice the scroll, one to render.
    await page.evaluate(`new Promise((done) => { scrollTo(0, ${y}); requestAnimationFrame(() => requestAnimationFrame(done)) })`)
    const inView = await page.locator('.opblock-summary').evaluateAll((summaries) =>
      summaries.map((summary) => {
        const [method, path] = [summary.querySelector('.opblock-summary-method'), summary.querySelector('[data-path]')]
        return `${method?.textContent} ${path?.getAttribute('data-path')}`
      }),
    )
    for (const operation of inView) listed.add(operation)
  }
  return listed
}

test('lists every operation, finds one by words and sends a request', async () => {
  await withReference('/docs', {}, async (page, { app, call }) => {
    const expected = app.routes.filter(({ path }) => path !== '/openapi.json')
    const listed = await listOperations(page)
    expect([...listed].sort()).toEqual(expected.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`).sort())
    expect(await createFlow(page, 'from the reference')).toMatch(/^201/)
    expect(await call('POST', '/flows/filter', {})).toMatchObject([{ name: 'from the reference' }])
  })
})

test('asks for a password, sends it, and fetches a CSRF token when the server demands one', async () => {
  const env = {
    MILLRACE_SERVER_BASE_PATH: '/mill',
    MILLRACE_SERVER_API_AUTH_STRING: 'miller:grïst-粉',
    MILLRACE_SERVER_API_CSRF_PROTECTION_ENABLED: 'true',
  }
  await withReference('/mill/api/docs', env, async (page, { call }) => {
    page.allowedErrors.push(/status of 401/, /status of 403/)
    const signIn = async (password: string) => {
      await page.getByLabel('User').fill('miller')
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await signIn('wrong')
    await page.getByText('Wrong user or password.').waitFor()
    await signIn('grïst-粉')
    expect(await createFlow(page, 'with a token')).toMatch(/^201/)
    expect(await call('POST', '/flows/filter', {})).toMatchObject([{ name: 'with a token' }])
  })
})
