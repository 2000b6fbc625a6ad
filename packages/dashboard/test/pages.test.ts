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

/** Changes the theme of the system, which the page follows. */
async function setTheme(theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(`html[data-theme=${theme}]`).waitFor()
  // Axe reads painted colours.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}

test.each(names)('%s has a title, no console errors and no serious axe violation, in both themes and on a phone', async (name) => {
  const { path, title } = listPages(open.seed)[name]!
  await page.setViewportSize(viewports.wide)
  await visitAndSettle(page, path)
  await setTheme('light')
  await eventually(() => page.title()).toBe(`${title} · Millrace`)
  await eventually(() => page.locator('h1').count()).toBe(1)
  await eventually(() => page.getByRole('alert').count()).toBe(0)
  expect(await seriousViolations(page)).toEqual([])

  // Contrast is the only rule whose result depends on the theme.
  await setTheme('dark')
  expect(await seriousViolations(page, ['color-contrast'])).toEqual([])

  await page.setViewportSize(viewports.phone)
  await eventually(() => page.evaluate('document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth')).toBe(0)
})

test('reports a violation on a page that has one', async () => {
  await visitAndSettle(page, '/settings')
  await page.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button>')`)
  expect((await seriousViolations(page)).map((line) => line.split(':')[0])).toContain('button-name')
})
