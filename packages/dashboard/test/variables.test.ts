import { expect, test } from 'vitest'
import type { OpenPage } from './browser.ts'
import { eventually } from './eventually.ts'
import type { OpenSeededServer } from './open-server.ts'
import { openSeededTestServer } from './test-server.ts'
import { withPage } from './with-page.ts'

let open: OpenSeededServer
let page: OpenPage
withPage(openSeededTestServer, (opened, first) => {
  open = opened
  page = first
})

const toast = (text: string | RegExp) => page.getByRole('region', { name: 'Notifications' }).getByText(text)
const row = (name: string) => page.getByRole('table', { name: 'Variables' }).getByRole('row').filter({ hasText: name })
const kept = async (name: string) => (await open.call('GET', `/variables/name/${name}`)).value

test('searches, filters, sorts and pages the list', async () => {
  for (let index = 0; index < 60; index += 1) {
    await open.call('POST', '/variables/', { name: `v-${String(index).padStart(2, '0')}`, value: index, tags: index % 2 === 0 ? ['even'] : [] })
  }
  await page.goto('/variables')
  await page.getByText('63 variables').waitFor()
  await page.getByRole('textbox', { name: 'Filter by name' }).fill('v-')
  await page.waitForURL('**name=v-')
  await page.getByText('60 variables').waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await row('v-59').waitFor()
  await page.goto('/variables?name=v-&tag=even&sort=name-desc')
  await page.getByText('30 variables').waitFor()
  await row('v-58').waitFor()
  await eventually(() => row('v-59').count()).toBe(0)
})

test('creates a variable and validates its name and JSON', async () => {
  await page.goto('/variables')
  await page.getByRole('button', { name: 'New variable' }).click()
  const dialog = page.getByRole('dialog', { name: 'New variable' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Rate Limits')
  await dialog.getByRole('textbox', { name: 'Value' }).fill('{"per_minute": 9007199254740993')
  await dialog.getByText('Invalid JSON').waitFor()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Use only lowercase letters, digits, _ and -').waitFor()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('rate_limits')
  await dialog.getByRole('textbox', { name: 'Value' }).fill('{"per_minute": 9007199254740993}')
  await dialog.getByRole('textbox', { name: 'Tags' }).fill('prod')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await toast('Created rate_limits').waitFor()
  // Read as text, because JavaScript would round the number.
  const answer = await (await fetch(`${open.address}/api/variables/name/rate_limits`)).text()
  expect(answer).toContain('9007199254740993')
  expect(JSON.parse(answer).tags).toEqual(['prod'])
})

test('edits a variable', async () => {
  await page.goto('/variables?name=region')
  await page.getByRole('button', { name: 'region', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit region' })
  await dialog.getByRole('textbox', { name: 'Value' }).fill('["eu", "us"]')
  await dialog.getByRole('button', { name: 'Remove tag prod' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await toast('Saved region').waitFor()
  expect(await open.call('GET', '/variables/name/region')).toMatchObject({ value: ['eu', 'us'], tags: [] })
  await row('region').getByText('["eu","us"]').waitFor()
})

test('copies a value', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/variables?name=batch_size')
  await page.getByRole('button', { name: 'Copy value of batch_size' }).click()
  await eventually(() => page.evaluate('navigator.clipboard.readText()')).toBe('500')
})

test('shows a server error with the request ID', async () => {
  page.allowedErrors.push(/409/)
  await page.goto('/variables')
  await page.getByRole('button', { name: 'New variable' }).click()
  const dialog = page.getByRole('dialog', { name: 'New variable' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('batch_size')
  await dialog.getByRole('textbox', { name: 'Value' }).fill('1')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await toast(/Request \S+/).waitFor()
  expect(await kept('batch_size')).toBe(500)
})

test('deletes a variable after confirmation', async () => {
  await open.call('POST', '/variables/', { name: 'doomed', value: 1 })
  await page.goto('/variables?name=doomed')
  await page.getByRole('button', { name: 'Delete doomed' }).click()
  await page.getByRole('dialog', { name: 'Delete doomed?' }).getByRole('button', { name: 'Delete variable' }).click()
  await toast('Deleted doomed').waitFor()
  await expect(open.call('GET', '/variables/name/doomed')).rejects.toThrow('404')
  await page.getByText('No results').waitFor()
})
