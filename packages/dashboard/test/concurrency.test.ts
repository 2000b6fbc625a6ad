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

const at = '/v2/concurrency_limits'
const toast = (text: string | RegExp) => page.getByRole('region', { name: 'Notifications' }).getByText(text)
const row = (name: string) => page.getByRole('table', { name: 'Limits' }).getByRole('row').filter({ hasText: name })
const read = (name: string) => open.call('GET', `${at}/${name}`)
const more = async (name: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('creates and edits a limit', async () => {
  await page.goto('/concurrency-limits')
  await page.getByRole('button', { name: 'New limit' }).click()
  const dialog = page.getByRole('dialog', { name: 'New limit' })
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Enter a name').waitFor()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('mail')
  await dialog.getByRole('textbox', { name: 'Slots *', exact: true }).fill('4')
  await dialog.getByRole('textbox', { name: 'Slots released per second' }).fill('0.5')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await toast('Created mail').waitFor()
  expect(await read('mail')).toMatchObject({ limit: 4, slot_decay_per_second: 0.5, active: true })

  await more('mail', 'Edit…')
  const edit = page.getByRole('dialog', { name: 'Edit mail' })
  await edit.getByRole('textbox', { name: 'Name' }).fill('letters')
  await edit.getByRole('textbox', { name: 'Slots *', exact: true }).fill('6')
  await edit.getByRole('textbox', { name: 'Slots released per second' }).fill('')
  await edit.getByRole('button', { name: 'Save' }).click()
  await toast('Saved letters').waitFor()
  expect(await read('letters')).toMatchObject({ limit: 6, slot_decay_per_second: 0 })
  await row('letters').waitFor()
})

test('disables and enables a limit', async () => {
  await page.goto('/concurrency-limits')
  await page.getByRole('textbox', { name: 'Filter by name' }).fill('crm')
  await page.waitForURL('**/concurrency-limits?name=crm')
  await page.getByRole('switch', { name: 'crm-api enabled' }).click()
  await toast('crm-api disabled: slots are no longer limited').waitFor()
  expect((await read('crm-api')).active).toBe(false)
  await page.getByRole('switch', { name: 'crm-api enabled' }).click()
  await toast('crm-api enabled').waitFor()
  expect((await read('crm-api')).active).toBe(true)
})

test('lists holders and waiters with links to their runs, and releases a slot', async () => {
  await open.call('POST', `${at}/`, { name: 'printer', limit: 1 })
  const lease = (type: string, id: string) =>
    open.call('POST', `${at}/increment-with-lease`, { names: ['printer'], slots: 1, lease_duration: 3600, holder: { type, id } })
  await lease('flow_run', open.seed.runningRun)
  await page.goto('/concurrency-limits?name=printer')
  // A waiter is listed as long as it keeps requesting the slot.
  const waits = async () => {
    await lease('task_run', open.seed.taskRun).catch((error: Error) => expect(error.message).toContain('423'))
  }
  await waits()
  await row('printer').getByText('1', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'printer' }).click()
  await waits()
  const { name } = await open.call('GET', `/flow_runs/${open.seed.runningRun}`)
  const holder = page.getByRole('list', { name: 'Holders' }).getByRole('listitem').filter({ hasText: name })
  await holder.getByText(/expires in/).waitFor()
  await holder.getByText(/^for /).waitFor()
  const waiter = page.getByRole('list', { name: 'Waiters' }).getByRole('listitem').filter({ hasText: 'extract-0' })
  const listed = async () => {
    await waits()
    return waiter.count()
  }
  await eventually(listed).toBe(1)
  await eventually(() => waiter.getByRole('link').getAttribute('href')).toBe(`/runs/task-run/${open.seed.taskRun}`)
  await eventually(() => holder.getByRole('link').getAttribute('href')).toBe(`/runs/flow-run/${open.seed.runningRun}`)

  await holder.getByRole('button', { name: 'Release' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Release slot' }).click()
  await toast('Slot released').waitFor()
  expect((await read('printer')).active_slots).toBe(0)
})

test('lists runs that wait for a deployment limit', async () => {
  const deployment = await open.call('POST', '/deployments/', { name: 'narrow', flow_id: open.seed.flows['sync-crm'], concurrency_limit: 1 })
  for (const name of ['inside', 'outside']) {
    const run = await open.call('POST', `/deployments/${deployment.id}/create_flow_run`, { name })
    await open.call('POST', `/flow_runs/${run.id}/set_state`, { state: { type: 'PENDING' } })
  }
  await page.goto('/concurrency-limits?kind=deployment')
  await row('narrow').getByRole('link', { name: 'narrow' }).click()
  await page.getByRole('heading', { name: 'narrow' }).waitFor()
  await page.getByRole('list', { name: 'Holders' }).getByRole('link', { name: 'inside' }).waitFor()
  await page.getByRole('list', { name: 'Waiters' }).getByRole('link', { name: 'outside' }).waitFor()
  await eventually(() => page.getByRole('link', { name: 'runs of this deployment' }).getAttribute('href')).toBe(
    `/deployments/deployment/${deployment.id}`,
  )
})

test('creates a tag limit, releases its slots and deletes it', async () => {
  await page.goto('/concurrency-limits?kind=tag')
  await page.getByRole('button', { name: 'New tag limit' }).click()
  const dialog = page.getByRole('dialog', { name: 'New tag limit' })
  await dialog.getByRole('textbox', { name: 'Tag' }).fill('crm-calls')
  await dialog.getByRole('textbox', { name: 'Slots' }).fill('2')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await toast('Created crm-calls').waitFor()
  await open.call('POST', '/concurrency_limits/increment', { names: ['crm-calls'], task_run_id: open.seed.taskRun })
  await row('crm-calls').getByText('1 / 2').waitFor()
  await more('tag:crm-calls', 'Release all slots…')
  await page.getByRole('dialog').getByRole('button', { name: 'Release all slots' }).click()
  await toast('Released all slots of the limit on crm-calls').waitFor()
  expect((await open.call('GET', '/concurrency_limits/tag/crm-calls')).active_slots).toEqual([])
  await more('tag:crm-calls', 'Delete…')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete limit' }).click()
  await toast('Deleted the limit on crm-calls').waitFor()
  await expect(open.call('GET', '/concurrency_limits/tag/crm-calls')).rejects.toThrow('404')
})

test('releases all slots of a limit and deletes it', async () => {
  await page.goto('/concurrency-limits?name=warehouse-writers')
  await row('warehouse-writers').getByText('3 / 5').waitFor()
  await more('warehouse-writers', 'Release all slots…')
  await page.getByRole('dialog').getByRole('button', { name: 'Release all slots' }).click()
  await toast('Released all slots of warehouse-writers').waitFor()
  expect((await read('warehouse-writers')).active_slots).toBe(0)
  await row('warehouse-writers').getByRole('link').click()
  await page.getByText('No slots in use').waitFor()
  await more('warehouse-writers', 'Delete…')
  await page.getByRole('dialog', { name: 'Delete warehouse-writers?' }).getByRole('button', { name: 'Delete limit' }).click()
  await page.waitForURL('**/concurrency-limits')
  await expect(read('warehouse-writers')).rejects.toThrow('404')
})
