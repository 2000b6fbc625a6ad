import { expect, test } from 'vitest'
import { type OpenPage, seriousViolations, viewports, visitAndSettle } from './browser.ts'
import { eventually } from './eventually.ts'
import type { OpenSeededServer } from './open-server.ts'
import { listPages } from './pages.ts'
import { openSeededTestServer } from './test-server.ts'
import { withPage } from './with-page.ts'

let open: OpenSeededServer
let page: OpenPage
withPage(openSeededTestServer, (opened, first) => {
  open = opened
  page = first
})

const names = Object.keys(listPages({ flows: {}, deployments: {} } as OpenSeededServer['seed']))

/** The page follows the system. */
async function turn(theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(`html[data-theme=${theme}]`).waitFor()
  // Axe reads the colours as they are painted.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}

test.each(names)('%s: titled, without a complaint or a serious violation, in both themes and on a phone', { timeout: 60_000 }, async (name) => {
  const { path, title } = listPages(open.seed)[name]!
  await page.setViewportSize(viewports.wide)
  await visitAndSettle(page, path)
  await turn('light')
  await eventually(() => page.title()).toBe(`${title} · Millrace`)
  await eventually(() => page.locator('h1').count()).toBe(1)
  await eventually(() => page.getByRole('alert').count()).toBe(0)
  expect(await seriousViolations(page)).toEqual([])

  // Of what axe knows, only contrast is another in the dark.
  await turn('dark')
  expect(await seriousViolations(page, ['color-contrast'])).toEqual([])

  await page.setViewportSize(viewports.phone)
  await eventually(() => page.evaluate('document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth')).toBe(0)
})

test('axe would have told', async () => {
  await visitAndSettle(page, '/settings')
  await page.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button>')`)
  expect((await seriousViolations(page)).map((line) => line.split(':')[0])).toContain('button-name')
})
