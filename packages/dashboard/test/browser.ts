import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, type BrowserServer, chromium, type LaunchOptions, type Page } from 'playwright-core'
import { findChromium } from './chromium.ts'

/** No sandbox: root cannot use one, and the browser opens only our own pages. */
async function launchOptions(args: readonly string[]): Promise<LaunchOptions> {
  const { executablePath, env } = await findChromium()
  return { executablePath, env, args: ['--no-sandbox', '--font-render-hinting=none', '--disable-lcd-text', ...args] }
}

export const launchBrowser = async (args: readonly string[] = []): Promise<Browser> => chromium.launch(await launchOptions(args))

/** A browser that several workers connect to. */
export const launchBrowserServer = async (): Promise<BrowserServer> => chromium.launchServer(await launchOptions([]))

/** How many times slower than this machine the browser is: `SLOW_BROWSER=6` finds what depends on its speed. */
export const cpuSlowdown = Number(process.env.SLOW_BROWSER ?? 1)

export const viewports = { wide: { width: 1440, height: 900 }, phone: { width: 375, height: 812 } } as const

export interface OpenPage extends Page {
  /** What the browser complained of so far. */
  readonly consoleErrors: string[]
  /** What it may complain of in this test: it notes answers that a test asks for, a 404 among them. */
  readonly allowedErrors: RegExp[]
}

export interface PageOptions {
  readonly theme?: 'light' | 'dark'
  readonly size?: keyof typeof viewports
}

/** A fresh profile with one page; console errors are recorded. */
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
  // Shorter than a test may take, so that it is told what was waited for; long enough for a machine that has much else to do.
  context.setDefaultTimeout(40_000)
  const page = await context.newPage()
  if (cpuSlowdown > 1) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown })
  const consoleErrors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') consoleErrors.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => consoleErrors.push(String(error)))
  return Object.assign(page, { consoleErrors, allowedErrors: [] })
}

export const closePage = (page: Page): Promise<void> => (page.context() as BrowserContext).close()

/** Opens a path and waits until its title is there and nothing on the page is loading. Cheaper than `networkidle`, which adds 500 ms. */
export async function visitAndSettle(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.locator('main h1').waitFor()
  await page.waitForFunction('document.querySelector("main .animate-pulse") === null')
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeViolation {
  readonly id: string
  readonly impact: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What axe finds that is serious or worse, one line each; by all its rules or by some. */
export async function seriousViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const run = rules ? { type: 'rule', values: rules } : { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }
  const options = JSON.stringify({ runOnly: run, resultTypes: ['violations'] })
  // By the debugger, which the page's policy does not bind.
  await page.evaluate(`window.axe === undefined && (() => { ${axeSource} })()`)
  const violations = (await page.evaluate(`axe.run(document, ${options}).then(({ violations }) => violations)`)) as AxeViolation[]
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html.slice(0, 300)}\n  ${failureSummary}`))
}
