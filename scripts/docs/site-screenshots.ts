/**
 * Takes a screenshot of pages of the documentation site, light and dark, wide and phone: `node scripts/docs/site-screenshots.ts [--into FOLDER] [PAGE…]`.
 * The folder is `.cache/site-screenshots` by default, the pages are all. The server has a base path. Fails for a message in the console, a request
 * to another site, a status above 399, and a page that is wider than the window. Then it searches, and follows a result.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { closePage, launchBrowser, newPage, type OpenPage, viewports } from '../../packages/dashboard/test/browser.ts'
import { buildApp } from '../../packages/server/src/app.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { listPages } from '../../packages/site/src/pages.ts'
import { pageLink } from '../../packages/site/src/sidebar.ts'
import { builtSite } from '../build-site.ts'
import { repositoryRoot } from '../repository.ts'

const basePath = '/proxy/path'
const { values, positionals } = parseArgs({ options: { into: { type: 'string' } }, allowPositionals: true })
const target = values.into ?? join(repositoryRoot, '.cache/site-screenshots')
const all = listPages(repositoryRoot).map(({ path }) => pageLink(path).slice(1))
const problems = new Set<string>()

async function visit(page: OpenPage, path: string, size: string, theme: string): Promise<void> {
  await page.goto(`${basePath}/help/${path}`, { waitUntil: 'networkidle' })
  const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  if (excess !== 0) problems.add(`${path}: ${excess} pixels wider than the window (${size})`)
  await page.screenshot({ path: join(target, `${path.replaceAll('/', '-') || 'home'}-${size}-${theme}.png`) })
}

async function search(page: OpenPage, size: string, theme: string): Promise<void> {
  await page.locator('#local-search button').click()
  await page.locator('#localsearch-input').fill('backup and restore')
  await page.locator('.result').first().waitFor()
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(target, `search-${size}-${theme}.png`) })
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/help\/backup/)
  await page.getByRole('heading', { level: 1, name: 'Backup and restore' }).waitFor()
}

function watchRequests(page: OpenPage, address: string): void {
  page.on('request', (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith('data:')) problems.add(`request to another site: ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) problems.add(`${response.status()} ${response.url()}`)
  })
}

mkdirSync(target, { recursive: true })
builtSite()
const { config } = readConfig({ MILLRACE_DATABASE_URL: 'sqlite::memory:', MILLRACE_SERVER_BASE_PATH: basePath }, [])
const app = await buildApp({ config })
const address = await app.server.listen({ host: '127.0.0.1', port: 0 })
const browser = await launchBrowser()
try {
  for (const size of Object.keys(viewports) as (keyof typeof viewports)[]) {
    for (const theme of ['light', 'dark'] as const) {
      const page = await newPage(browser, address, { theme, size })
      watchRequests(page, address)
      for (const path of positionals.length > 0 ? positionals : all) await visit(page, path, size, theme)
      await search(page, size, theme)
      for (const error of page.consoleErrors) problems.add(`console: ${error}`)
      await closePage(page)
    }
  }
} finally {
  await browser.close()
  await app.close()
}
console.log(target)
for (const problem of problems) console.error(problem)
process.exitCode = problems.size > 0 ? 1 : 0
