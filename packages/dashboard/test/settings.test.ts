import { beforeEach, expect, test } from 'vitest'
import type { OpenPage } from './browser.ts'
import { eventually } from './eventually.ts'
import type { OpenSeededServer } from './open-server.ts'
import { openSeededTestServer } from './test-server.ts'
import { withPage } from './with-page.ts'

let open: OpenSeededServer
let page: OpenPage
withPage(
  () => openSeededTestServer({ MILLRACE_LOGS_RETENTION_DAYS: '30' }),
  (opened, first) => {
    open = opened
    page = first
  },
)
beforeEach(() => page.goto('/settings'))

const fact = (name: string) =>
  page
    .getByRole('region', { name: 'Server', exact: true })
    .locator('div', { has: page.getByText(name, { exact: true }) })
    .last()
    .locator('dd')

test('shows versions and the type and size of the database', async () => {
  const { version } = await open.call('GET', '/admin/settings')
  await fact('Millrace').getByText(version, { exact: true }).waitFor()
  await fact('API version')
    .getByText(await open.call('GET', '/version'), { exact: true })
    .waitFor()
  await fact('Compatible with')
    .getByText(`Prefect ${await open.call('GET', '/admin/version')}`)
    .waitFor()
  await fact('Database').getByText('SQLite', { exact: true }).waitFor()
  const { database_bytes } = await open.call('GET', '/admin/retention')
  await eventually(() => fact('Database size').textContent()).toMatch(database_bytes > 1_000_000 ? /^\d+(\.\d)? MB$/ : / KB$/)
  expect(await page.getByRole('region', { name: 'Security warning' }).count()).toBe(0)
})

test('shows retention and oldest rows with their settings', async () => {
  const { kinds } = await open.call('GET', '/admin/retention')
  const logs = kinds.find(({ kind }: { kind: string }) => kind === 'logs')
  const row = page.getByRole('region', { name: 'Data retention' }).getByRole('row').filter({ hasText: 'Logs' })
  await row.getByText('30 days').waitFor()
  await row.getByText('MILLRACE_LOGS_RETENTION_DAYS').waitFor()
  expect(logs.retention_days).toBe(30)
  await eventually(() => row.getByRole('cell').nth(2).textContent()).toBe(logs.rows.toLocaleString('en-GB'))
  await eventually(() => row.locator('time').first().getAttribute('datetime')).toBe(logs.oldest)
})

test('keeps the settings search in the URL', async () => {
  await page.getByRole('textbox', { name: 'Filter settings' }).fill('LOGS_RET')
  await page.waitForURL('**/settings?setting=LOGS_RET')
  const panel = page.getByRole('region', { name: 'Server settings' })
  await panel.getByText('logs.retention_days').waitFor()
  await panel.getByText('server.port').waitFor({ state: 'detached' })
  const { settings } = await open.call('GET', '/admin/settings')
  await eventually(() => panel.locator('dd').allTextContents()).toEqual([String(settings.logs.retention_days)])
})

test('applies the page size everywhere', async () => {
  await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('25')
  for (let index = 0; index < 30; index++) {
    await open.call('POST', '/automations/', { name: `many ${index}`, trigger: { posture: 'Reactive' }, actions: [{ type: 'do-nothing' }] })
  }
  await page.goto('/automations?name=many')
  const rows = page.getByRole('table', { name: 'Automations' }).getByRole('switch')
  await rows.nth(24).waitFor()
  await eventually(() => rows.count()).toBe(25)
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.waitForURL(/[?&]page=2/)
  await eventually(() => rows.count()).toBe(5)
})
