import { expect, test } from 'vitest'
import { suspendAutomations } from '../../server/src/automations/suspension.ts'
import { serviceActor } from '../../server/src/lib/actor.ts'
import { actAs } from '../../server/src/storage/server-context.ts'
import { closePage, newPage, type OpenPage } from './browser.ts'
import { eventually } from './eventually.ts'
import type { OpenSeededServer } from './open-server.ts'
import { openSeededTestServer } from './test-server.ts'
import { untilStable } from './until-stable.ts'
import { withPage } from './with-page.ts'

let open: OpenSeededServer
let page: OpenPage
withPage(openSeededTestServer, (opened, first) => {
  open = opened
  page = first
})

const panel = (name: string) => page.getByRole('region', { name, exact: true })

test('draws recent runs by time and duration and links to them', async () => {
  await page.goto('/dashboard')
  const runs = panel('Runs')
  const strokes = runs.locator('svg[role=presentation] rect')
  await eventually(() => strokes.count()).toBeGreaterThan(100)
  const ofDay = await untilStable(() => strokes.count())
  await runs.getByRole('radio', { name: '6 h' }).click()
  await eventually(() => strokes.count()).toBeLessThan(ofDay / 2)
  await page.reload()
  await runs.getByRole('radio', { name: '6 h', checked: true }).waitFor()
  // Panels that still load move the page, and a click would miss.
  await untilStable(async () => JSON.stringify(await strokes.nth(10).boundingBox()))
  await strokes.nth(10).click({ force: true })
  await page.waitForURL('**/runs/flow-run/*')
  const { name } = await open.call('GET', `/flow_runs/${new URL(page.url()).pathname.split('/').at(-1)}`)
  await page.getByRole('heading', { level: 1, name }).waitFor()
})

test('shows the health of work pools', async () => {
  await page.goto('/dashboard')
  const pools = panel('Work pools')
  const line = (name: string) => pools.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })
  for (const { name, is_paused } of await open.call('POST', '/work_pools/filter', {})) {
    const workers: { status: string }[] = await open.call('POST', `/work_pools/${name}/workers/filter`, {})
    const online = workers.filter(({ status }) => status === 'ONLINE').length
    const word = is_paused ? 'Paused' : workers.length === 0 ? 'No workers' : online === 0 ? 'No workers online' : /\d workers?|All slots in use/
    await line(name).getByText(word, { exact: true }).waitFor()
  }
  await line('gpu').getByRole('link').click()
  await page.waitForURL('**/work-pools/work-pool/gpu')
})

test('lists upcoming runs in order', async () => {
  await page.goto('/dashboard')
  const upcoming = panel('Upcoming')
  await upcoming.getByRole('listitem').first().waitFor()
  const expected: { name: string }[] = await open.call('POST', '/flow_runs/filter', {
    flow_runs: { state: { name: { any_: ['Scheduled'] } } },
    sort: 'NEXT_SCHEDULED_START_TIME_ASC',
    limit: 3,
  })
  for (const [index, { name }] of expected.entries()) await upcoming.getByRole('listitem').nth(index).getByText(name, { exact: true }).waitFor()
  await upcoming.getByRole('link', { name: 'All', exact: true }).click()
  await page.waitForURL('**/runs?state=Scheduled&sort=soonest')
})

test('shows runs that start and end elsewhere without a reload', async () => {
  await page.goto('/dashboard')
  await page.getByText('Live', { exact: true }).waitFor()
  const { id } = await open.call('POST', `/deployments/${open.seed.deployments['check-heartbeats']}/create_flow_run`, { name: 'sudden-crane' })
  await open.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'RUNNING' }, force: true })
  await panel('Running now').getByText('sudden-crane').waitFor()
  await open.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'CRASHED', message: 'The machine went away' }, force: true })
  await panel('Needs attention').getByText('The machine went away').waitFor()
  await eventually(() => panel('Running now').getByText('sudden-crane').count()).toBe(0)
})

test('lists suspended automations with a reason, and resumes them', async () => {
  const { id } = await open.call('POST', '/automations/', {
    name: 'catch everything',
    trigger: { type: 'event', posture: 'Reactive', expect: [] },
    actions: [{ type: 'do-nothing' }],
  })
  await page.goto('/dashboard')
  await page.getByText('Live', { exact: true }).waitFor()
  // Suspends the automation as the evaluator does when it fires too often. The page receives the event.
  const context = actAs(open.seeded.app.context, serviceActor('test'))
  await context.commands.submit((tx) =>
    suspendAutomations(context, tx, [{ id, name: 'catch everything' }], 'It fired too often', context.clock.now()),
  )
  const row = panel('Needs attention').getByRole('listitem').filter({ hasText: 'catch everything' })
  await row.getByText('Suspended. It fired too often').waitFor()
  await row.getByRole('link', { name: /catch everything/ }).click()
  await page.waitForURL(`**/automations/automation/${id}`)
  await page.getByText('Suspended. It fired too often').waitFor()
  await page.goBack()
  await row.getByRole('button', { name: 'Resume' }).click()
  await eventually(() => row.count()).toBe(0)
  expect(await open.call('GET', '/automations/suspended')).toEqual([])
})

test('explains the first steps on an empty server', async () => {
  const fresh = await newPage(open.browser, open.address)
  await fresh.route('**/api/flows/filter', (route) => route.fulfill({ json: [] }))
  await fresh.goto('/dashboard')
  await fresh.getByText(`export PREFECT_API_URL=${open.address}/api`).waitFor()
  await closePage(fresh)
})
