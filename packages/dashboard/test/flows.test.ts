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
const table = () => page.getByRole('table', { name: 'Flows' })
const row = (name: string) => table().getByRole('row').filter({ hasText: name })

test('shows recent runs and the next run of each flow', async () => {
  await page.goto('/flows')
  const found = row('sync-crm')
  const strip = found.getByRole('list', { name: 'Recent runs of sync-crm' })
  await strip.getByRole('link').first().waitFor()
  const latest = await open.call('POST', '/ui/flow_runs/latest', { flow_ids: [open.seed.flows['sync-crm']] })
  const runs = latest[open.seed.flows['sync-crm'] as string].last as { id: string; name: string }[]
  await eventually(() => strip.getByRole('link').count()).toBe(runs.length)
  await strip.getByRole('link', { name: runs[0]?.name ?? '' }).click()
  await page.waitForURL(`**/runs/flow-run/${runs[0]?.id}`)
})

test('keeps name, tag and sort order in the URL', async () => {
  await page.goto('/flows')
  await page.getByRole('textbox', { name: 'Filter by name' }).fill('crm')
  await page.waitForURL('**/flows?name=crm')
  await row('ingest-orders').waitFor({ state: 'detached' })
  await eventually(() => table().getByRole('link', { name: 'sync-crm', exact: true }).count()).toBe(1)

  await page.goto('/flows?sort=name-desc')
  const expected = await open.call('POST', '/flows/paginate', { sort: 'NAME_DESC', limit: 50 })
  await eventually(() => table().locator('tbody tr td:first-child').allInnerTexts()).toEqual(
    expected.results.map(({ name }: { name: string }) => name),
  )

  await page.getByRole('button', { name: /^Tag/ }).click()
  await page.getByRole('textbox', { name: 'Tag' }).fill('ops')
  await page.keyboard.press('Enter')
  await page.waitForURL('**tag=ops')
  await row('sync-crm').waitFor({ state: 'detached' })
  await row('check-heartbeats').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Remove filter Tag' }).click()
  await row('sync-crm').waitFor()
})

test('pages through many flows', async () => {
  for (let index = 0; index < 60; index += 1) await open.call('POST', '/flows/', { name: `many-${String(index).padStart(2, '0')}` })
  await page.goto('/flows?name=many-')
  await page.getByText('60 flows').waitFor()
  await row('many-00').waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.waitForURL('**page=2')
  await row('many-59').waitFor()
  await eventually(() => row('many-00').count()).toBe(0)
})

test('shows runs, deployments and tags of a flow', async () => {
  const id = open.seed.flows['ingest-orders'] as string
  await page.goto(`/flows/flow/${id}`)
  await page.getByRole('list', { name: 'Duration of recent runs' }).getByRole('link').first().waitFor()
  await page.getByRole('table', { name: 'Runs' }).getByText('ingest-orders').first().waitFor()
  await page.getByRole('tab', { name: /^Deployments/ }).click()
  await page.waitForURL('**tab=deployments')
  await page.getByRole('table', { name: 'Deployments' }).getByRole('link', { name: 'every-15-min' }).waitFor()
  await page.getByRole('tab', { name: 'Details' }).click()
  await page.getByRole('textbox', { name: 'Tags' }).fill('nightly')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Save tags' }).click()
  await toast('Tags saved').waitFor()
  expect((await open.call('GET', `/flows/${id}`)).tags).toContain('nightly')
})

test('deletes a flow after confirmation', async () => {
  const { id } = await open.call('POST', '/flows/', { name: 'doomed' })
  const kept = await open.call('POST', '/flows/', { name: 'doomed-not' })
  await page.goto('/flows?name=doomed')
  await page.getByRole('button', { name: 'Delete doomed', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete doomed?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await open.call('GET', `/flows/${id}`)).name).toBe('doomed')

  await page.goto(`/flows/flow/${id}`)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await dialog.getByRole('button', { name: 'Delete flow' }).click()
  await toast('Deleted doomed').waitFor()
  await page.waitForURL('**/flows')
  await expect(open.call('GET', `/flows/${id}`)).rejects.toThrow('404')
  expect((await open.call('GET', `/flows/${kept.id}`)).name).toBe('doomed-not')
})

test('reports an unknown flow', async () => {
  await page.goto('/flows/flow/00000000-0000-4000-8000-000000000000')
  await page.getByText('Flow not found').waitFor()
})
