import { expect, test } from 'vitest'
import { type OpenPage, seriousViolations, sizes, visit } from './browser.ts'
import { type OpenMill, openMill } from './open-mill.ts'
import { pagesOf } from './pages.ts'
import { soon } from './soon.ts'
import { withPage } from './with-page.ts'

let open: OpenMill
let page: OpenPage
withPage(openMill, (opened, first) => {
  open = opened
  page = first
})

const names = Object.keys(pagesOf({ flows: {}, deployments: {} } as OpenMill['mill']))

/** The page follows the system. */
async function turn(theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(`html[data-theme=${theme}]`).waitFor()
  // Axe reads the colours as they are painted.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}

test.each(names)('%s: titled, without a complaint or a serious violation, in both themes and on a phone', { timeout: 60_000 }, async (name) => {
  const { path, title } = pagesOf(open.mill)[name]!
  await page.setViewportSize(sizes.wide)
  await visit(page, path)
  await turn('light')
  await soon(() => page.title()).toBe(`${title} · Millrace`)
  await soon(() => page.locator('h1').count()).toBe(1)
  await soon(() => page.getByRole('alert').count()).toBe(0)
  expect(await seriousViolations(page)).toEqual([])

  // Of what axe knows, only contrast is another in the dark.
  await turn('dark')
  expect(await seriousViolations(page, ['color-contrast'])).toEqual([])

  await page.setViewportSize(sizes.phone)
  await soon(() => page.evaluate('document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth')).toBe(0)
})

test('axe would have told', async () => {
  await visit(page, '/settings')
  await page.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button>')`)
  expect((await seriousViolations(page)).map((line) => line.split(':')[0])).toContain('button-name')
})
