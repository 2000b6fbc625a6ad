import { expect, test } from 'vitest'
import { type OpenPage, seriousViolations } from './browser.ts'
import { openTestServer } from './test-server.ts'
import { withPage } from './with-page.ts'

let page: OpenPage
withPage(
  () => openTestServer(async () => {}, { MILLRACE_SERVER_HOST: '0.0.0.0', MILLRACE_SERVER_ALLOW_ANONYMOUS: 'true' }),
  (_open, first) => {
    page = first
  },
)

const warning = () => page.getByRole('region', { name: 'Security warning' })

test('warns on every page, until dismissed, that the server accepts anonymous requests from the network', async () => {
  for (const path of ['/dashboard', '/runs']) {
    await page.goto(path)
    await warning().getByText('This server has no password').waitFor()
  }
  expect(await seriousViolations(page)).toEqual([])
  await warning().getByRole('button', { name: 'Dismiss' }).click()
  await warning().waitFor({ state: 'detached' })
  const settings = page.waitForResponse('**/api/admin/settings')
  await page.goto('/dashboard')
  await settings
  await page.getByRole('heading').first().waitFor()
  expect(await warning().count()).toBe(0)
})
