import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, type BrowserServer, chromium, type LaunchOptions, type Page, type Request } from 'playwright-core'
import { findChromium } from './chromium.ts'

/** No sandbox: root cannot use one, and the browser opens only our own pages. */
async function launchOptions(args: readonly string[]): Promise<LaunchOptions> {
  const { executablePath, env } = await findChromium()
  return { executablePath, env, args: ['--no-sandbox', '--font-render-hinting=none', '--disable-lcd-text', ...args] }
}

export const launchBrowser = async (args: readonly string[] = []): Promise<Browser> => chromium.launch(await launchOptions(args))

/** A browser that several workers connect to. */
export const launchBrowserServer = async (): Promise<BrowserServer> => chromium.launchServer(await launchOptions([]))

/** Slows the browser's CPU down: `SLOW_BROWSER=6` finds tests that depend on its speed. */
export const cpuSlowdown = Number(process.env.SLOW_BROWSER ?? 1)

export const viewports = { wide: { width: 1440, height: 900 }, phone: { width: 375, height: 812 } } as const

export interface OpenPage extends Page {
  /** Errors and warnings in the console so far. */
  readonly consoleErrors: string[]
  /** Console errors that the current test expects, such as the 404 of a request it makes on purpose. */
  readonly allowedErrors: RegExp[]
  /** API requests without an answer. */
  readonly pendingRequests: Set<Request>
}

export interface PageOptions {
  readonly theme?: 'light' | 'dark'
  readonly size?: keyof typeof viewports
}

/** Opens a page in a new profile and records its console errors. */
export async function newPage(browser: Browser, baseURL: string, { theme = 'light', size = 'wide' }: PageOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext({
    baseURL,
    viewport: viewports[size],
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    ...(size === 'phone' && { hasTouch: true, isMobile: true }),
  })
  // Below the test timeout, so that the error names the locator; long enough for a busy machine.
  context.setDefaultTimeout(40_000)
  const page = await context.newPage()
  if (cpuSlowdown > 1) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown })
  const consoleErrors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') consoleErrors.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => consoleErrors.push(String(error)))
  const pendingRequests = new Set<Request>()
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.includes('/api/')) pendingRequests.add(request)
  })
  page.on('requestfinished', (request) => pendingRequests.delete(request))
  page.on('requestfailed', (request) => pendingRequests.delete(request))
  return Object.assign(page, { consoleErrors, allowedErrors: [], pendingRequests })
}

export const closePage = (page: Page): Promise<void> => (page.context() as BrowserContext).close()

const nextFrames = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

const settleTimeoutMs = 30_000

/**
 * Opens a path and waits until nothing on the page is loading: no pending API request and no skeleton, twice in a row, because one answer can
 * lead to the next request. Takes about 70 ms, where `networkidle` takes 500 ms.
 */
export async function visitAndSettle(page: OpenPage, path: string): Promise<void> {
  await page.goto(path, { waitUntil: 'commit' })
  // The browser does not report the end of every request that the previous page left behind.
  page.pendingRequests.clear()
  await page.locator('h1').first().waitFor()
  const deadline = performance.now() + settleTimeoutMs
  for (let quiet = 0; quiet < 2; ) {
    await page.evaluate(nextFrames)
    const isLoading = page.pendingRequests.size > 0 || (await page.locator('main .animate-pulse').count()) > 0
    quiet = isLoading ? 0 : quiet + 1
    if (performance.now() > deadline) throw new Error(`${path} is still loading: ${[...page.pendingRequests].map((each) => each.url()).join(', ')}`)
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeViolation {
  readonly id: string
  readonly impact: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** Violations that axe rates serious or critical, one line each, by all rules or the given ones. */
export async function seriousViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const run = rules ? { type: 'rule', values: rules } : { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }
  const options = JSON.stringify({ runOnly: run, resultTypes: ['violations'] })
  // The content security policy does not apply to scripts of the debugger.
  await page.evaluate(`window.axe === undefined && (() => { ${axeSource} })()`)
  const violations = (await page.evaluate(`axe.run(document, ${options}).then(({ violations }) => violations)`)) as AxeViolation[]
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html.slice(0, 300)}\n  ${failureSummary}`))
}
