import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { builtDashboard } from '../../../scripts/build-dashboard.ts'
import { closePage, launchBrowser, newPage, type OpenPage } from './browser.ts'
import { measureMainThreadMs } from './measure-main-thread.ts'
import { measurePage } from './page-speed.ts'
import { seedManyRuns } from './seed-many-runs.ts'
import { type SeededServer, startSeededServer } from './seeded-server.ts'

const runs = 12_000

let seeded: SeededServer
let browser: Browser
let address: string
let page: OpenPage
beforeAll(async () => {
  seeded = await startSeededServer('sqlite::memory:')
  await seedManyRuns(seeded, runs)
  address = await seeded.app.server.listen({ host: '127.0.0.1', port: 0 })
  // Tracing covers a whole browser, so the shared one cannot be used.
  browser = await launchBrowser()
  page = await newPage(browser, address)
}, 120_000)
afterAll(async () => {
  await closePage(page)
  await browser.close()
  await seeded.app.close()
})
beforeEach(() => expect(page.consoleErrors.splice(0)).toEqual([]))

test('loads less than 300 KB of compressed JavaScript for the first route', async () => {
  const fresh = await newPage(browser, address)
  const loaded = new Set<string>()
  fresh.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (pathname.endsWith('.js')) loaded.add(pathname)
  })
  await fresh.goto('/dashboard')
  await fresh
    .getByRole('link', { name: /runs? \(/ })
    .first()
    .waitFor()
  await closePage(fresh)
  const folder = join(builtDashboard(), 'assets')
  const built = new Set(readdirSync(folder))
  const names = [...loaded].map((path) => path.split('/').at(-1) as string).filter((name) => built.has(name))
  expect(names.length).toBeGreaterThan(0)
  const bytes = names.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0)
  expect(bytes).toBeLessThan(300_000)
})

describe('a list of 10,000 rows', () => {
  test('scrolls to its end and renders only visible rows', async () => {
    await page.goto('/runs')
    const table = page.getByRole('table', { name: 'Runs' })
    await table.locator('[aria-rowindex="1"]').getByRole('link').first().waitFor()
    await page.getByRole('status').getByText('Showing the first 10,000 of more than 10,000 runs').waitFor()
    expect(await table.getAttribute('aria-rowcount')).toBe('10000')
    await table.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
    await table.locator('[aria-rowindex="10000"]').getByRole('link').first().waitFor()
    expect(await table.getByRole('row').count()).toBeLessThan(80)
  })

  test.runIf(process.env.PROOF === 'full')('scrolls within the time of a frame at 60 Hz', { timeout: 120_000 }, async () => {
    await page.goto('/runs')
    await page.locator('[aria-rowindex="1"]').getByRole('link').first().waitFor()
    const rounds: number[] = []
    for (let round = 0; round < 3; round += 1) rounds.push(await measureMainThreadMs(browser, page, () => scrollRuns(page, frames)))
    // The first round compiles code, and any round may fetch rows.
    expect(Math.min(...rounds) / frames).toBeLessThan(1000 / 60)
  })
})

const frames = 60

/** Three rows per frame, as fast as a mouse wheel scrolls. */
const scrollRuns = (where: OpenPage, count: number): Promise<unknown> =>
  where.evaluate(`new Promise((resolve) => {
    const table = document.querySelector('[role=table]')
    let left = ${count}
    const step = () => {
      table.scrollTop += 100
      left -= 1
      if (left === 0) resolve()
      else requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)

test('measures each request of a page', async () => {
  const { calls } = await measurePage(browser, address, '/runs?state=Failed', seeded.app.server, 3)
  expect(calls.find(({ path }) => path === '/api/flow_runs/filter')).toMatchObject({ method: 'POST', body: expect.stringContaining('FAILED') })
  expect(calls.filter(({ path }) => !path.startsWith('/api/'))).toEqual([])
})
