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

const rows = () =>
  page
    .getByRole('table', { name: 'Events' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
const count = () => page.getByRole('main').getByRole('status').first()
const bars = () => page.getByRole('list', { name: 'Events by time' }).getByRole('button')
const totalOf = async (filter: object): Promise<number> => (await open.call('POST', '/events/filter', { filter, limit: 1 })).total
const dayAgo = () => ({ since: new Date(Date.now() - 86_400_000).toISOString() })

async function emit(event: string, more: object = {}): Promise<string> {
  const id = crypto.randomUUID()
  const resource = { 'prefect.resource.id': 'pump.7', 'prefect.resource.name': 'Pump seven' }
  await open.call('POST', '/events', [{ id, occurred: new Date().toISOString(), event, resource, ...more }])
  return id
}

test('shows new events without a reload', async () => {
  await page.goto('/events?event=pump.*')
  await page.getByText('No results').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  // The socket opens after the list was requested. The server sends events from in between too.
  await emit('pump.started')
  await rows().filter({ hasText: 'pump.started' }).getByText('Pump seven').waitFor()
  await emit('pump.stopped')
  await rows().first().getByText('pump.stopped').waitFor()
  await count().getByText('2', { exact: true }).waitFor()
})

test('shows events that were recorded while the connection was lost', async () => {
  await page.goto('/events?event=valve.*')
  await page.getByText('No results').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await emit('valve.opened')
  await rows().filter({ hasText: 'valve.opened' }).waitFor()
  for (const socket of open.seeded.app.server.websocketServer.clients) socket.terminate()
  await emit('valve.closed')
  await rows().filter({ hasText: 'valve.closed' }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await count().getByText('2', { exact: true }).waitFor()
})

test('keeps filters by name, prefix, resource, related resource and text in the URL', async () => {
  await page.goto('/events')
  await page.getByRole('button', { name: 'Event', exact: true }).click()
  await page.getByRole('textbox', { name: 'Search Event', exact: true }).fill('Failed')
  await page.getByRole('checkbox', { name: /^prefect\.flow-run\.Failed/ }).check()
  await page.waitForURL('**/events?event=prefect.flow-run.Failed')
  await page.keyboard.press('Escape')
  const failed = await totalOf({ occurred: dayAgo(), event: { name: ['prefect.flow-run.Failed'] } })
  await count().getByText(String(failed), { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Related' }).click()
  await page.getByRole('textbox', { name: 'Search Related' }).fill('sync-crm')
  await page.getByRole('checkbox', { name: /^sync-crm flow$/ }).check()
  await page.waitForURL(`**&related=prefect.flow.${open.seed.flows['sync-crm']}`)
  await page.keyboard.press('Escape')
  const related = { id: [`prefect.flow.${open.seed.flows['sync-crm']}`] }
  const ofFlow = await totalOf({ occurred: dayAgo(), event: { name: ['prefect.flow-run.Failed'] }, related })
  expect(ofFlow).toBeLessThan(failed)
  await count().getByText(String(ofFlow), { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForURL(/\/events$/)

  await page.getByRole('button', { name: 'Prefix' }).click()
  await page.getByRole('textbox', { name: 'Event name prefix' }).fill('prefect.work-pool.')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/events?event=prefect.work-pool.*')
  const pools = await totalOf({ event: { prefix: ['prefect.work-pool.'] }, occurred: dayAgo() })
  await count().getByText(String(pools), { exact: true }).waitFor()

  const resource = `prefect.flow-run.${open.seed.failedRun}`
  await page.goto(`/events?resource=${resource}`)
  await count()
    .getByText(String(await totalOf({ any_resource: { id: [resource] } })), { exact: true })
    .waitFor()
  await page.goto('/events')
  await page.getByRole('textbox', { name: 'Search events' }).fill('ConnectTimeout')
  await page.waitForURL('**/events?text=ConnectTimeout')
  await count()
    .getByText(String(await totalOf({ occurred: dayAgo(), text: { query: 'ConnectTimeout' } })), { exact: true })
    .waitFor()
})

test('narrows the time range by clicking and dragging bars', async () => {
  await page.goto('/events?event=prefect.flow-run.Completed')
  await rows().first().waitFor()
  const chosen = bars().filter({ hasNotText: /: 0 events$/ })
  const label = (await chosen.nth(40).getAttribute('aria-label')) ?? ''
  await chosen.nth(40).click()
  await page.waitForURL(/since=.*until=/)
  const { searchParams } = new URL(page.url())
  const occurred = { since: searchParams.get('since'), until: searchParams.get('until') }
  const total = await totalOf({ occurred, event: { name: ['prefect.flow-run.Completed'] } })
  expect(label).toMatch(new RegExp(`: ${total} events?$`))
  await count().getByText(String(total), { exact: true }).waitFor()

  await page.goto('/events?since=24h')
  await bars().nth(90).waitFor()
  const box = (await page.getByRole('list', { name: 'Events by time' }).boundingBox())!
  await page.mouse.move(box.x + box.width * 0.25, box.y + 40)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.5, box.y + 40, { steps: 5 })
  await page.mouse.up()
  await page.waitForURL(/since=.*until=/)
  const drawn = new URL(page.url()).searchParams
  const hours = (Date.parse(drawn.get('until') ?? '') - Date.parse(drawn.get('since') ?? '')) / 3_600_000
  expect(hours).toBeGreaterThan(5)
  expect(hours).toBeLessThan(7.5)
})

test('loads more events on scroll and renders only visible rows', async () => {
  await page.goto('/events')
  await rows().nth(10).waitFor()
  await eventually(() => rows().count()).toBeLessThan(60)
  for (const index of [45, 95, 140]) {
    const scrolled = async () => {
      await page.evaluate(`document.querySelector('[role=table]').scrollTo(0, ${(index - 5) * 34})`)
      return page.locator(`[aria-rowindex="${index}"]`).getByRole('link').count()
    }
    // Scrolls to the last loaded row, which requests the next page.
    await eventually(scrolled).toBeGreaterThan(0)
  }
})

test('shows an event beside the list and on its page, with links to resources and to a new automation', async () => {
  const resource = `prefect.flow-run.${open.seed.failedRun}`
  await page.goto(`/events?event=prefect.flow-run.Failed&resource=${resource}`)
  await rows().getByRole('link', { name: 'prefect.flow-run.Failed' }).click()
  const panel = page.getByRole('complementary', { name: 'Event' })
  await panel.getByText('ConnectTimeout').first().waitFor()
  await panel.getByRole('link', { name: 'sync-crm' }).waitFor()
  await eventually(() => panel.getByRole('link', { name: 'kubernetes' }).getAttribute('href')).toBe('/work-pools/work-pool/kubernetes')
  await panel.getByRole('link', { name: 'Open page' }).click()
  await page.waitForURL(/\/events\/event\/\d{4}-\d\d-\d\d\/[0-9a-f-]{36}$/)
  await page.getByRole('region', { name: 'JSON' }).getByText('"prefect.flow-run.Failed"').waitFor()
  const eventId = page.url().split('/').at(-1) as string
  const { events } = await open.call('POST', '/events/filter', { filter: { id: { id: [eventId] } } })
  expect(events[0].resource['prefect.resource.id']).toBe(resource)

  await page.getByRole('link', { name: 'Create automation' }).click()
  await page
    .getByRole('combobox', { name: /^Action|^Trigger on/ })
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Add an action' }).click()
  await page.getByRole('combobox', { name: 'Action 1' }).selectOption('Do nothing')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/\/automations\/automation\/[0-9a-f-]{36}$/)
  const automation = await open.call('GET', `/automations/${page.url().split('/').at(-1)}`)
  expect(automation.trigger).toMatchObject({ expect: ['prefect.flow-run.Failed'], match: { 'prefect.resource.id': 'prefect.flow-run.*' } })
})

test('shows markup in events as text', async () => {
  const name = '<img src=x onerror="document.title=\'hacked\'">'
  const id = await emit('odd.event', { resource: { 'prefect.resource.id': `odd.${name}`, 'prefect.resource.name': name }, payload: { note: name } })
  await page.goto(`/events/event/${new Date().toISOString().slice(0, 10)}/${id}`)
  await page.getByRole('region', { name: 'Details' }).getByText(name).first().waitFor()
  await eventually(() => page.locator('main img').count()).toBe(0)
  expect(await page.title()).not.toContain('hacked')
})
