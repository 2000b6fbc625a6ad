import { describe, expect, test } from 'vitest'
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
const table = () => page.getByRole('table', { name: 'Deployments' })
const row = (name: string) => table().getByRole('row').filter({ hasText: name })
const read = (id: string) => open.call('GET', `/deployments/${id}`)
const dialog = () => page.getByRole('dialog')

let made = 0
const create = async (more: object = {}): Promise<{ id: string; name: string }> => {
  made += 1
  const deployment = { name: `made-${made}`, flow_id: open.seed.flows['sync-crm'], work_pool_name: 'kubernetes', tags: ['made'], ...more }
  return open.call('POST', '/deployments/', deployment)
}
const openPage = (id: string, rest = '') => page.goto(`/deployments/deployment/${id}${rest}`)
const more = async (item: string) => {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('the deployment list', () => {
  test('shows recent and next runs and keeps filters in the URL', async () => {
    await page.goto('/deployments')
    await row('half-hourly').getByRole('list', { name: 'Recent runs of half-hourly' }).getByRole('link').first().waitFor()
    await page.getByRole('textbox', { name: 'Filter by name' }).fill('crm')
    await page.waitForURL('**name=crm')
    await row('hourly').filter({ hasText: 'refresh-features' }).waitFor({ state: 'detached' })
    await eventually(() => row('half-hourly').count()).toBe(1)

    await page.goto('/deployments?pool=gpu')
    await page.getByText('1 deployment', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove filter Pool' }).click()
    await row('nightly').waitFor()
    await page.goto(`/deployments?flow=${open.seed.flows['warehouse-load']}`)
    await page.getByText('1 deployment', { exact: true }).waitFor()
    await page.goto('/deployments?tag=ops&sort=name-desc')
    await row('every-20-min').waitFor()
    await eventually(() => table().locator('tbody tr').count()).toBe(1)
  })

  test('has pages', async () => {
    for (let index = 0; index < 55; index += 1) {
      await open.call('POST', '/deployments/', { name: `many-${String(index).padStart(2, '0')}`, flow_id: open.seed.flows['sync-crm'] })
    }
    await page.goto('/deployments?name=many-')
    await page.getByText('55 deployments').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.waitForURL('**page=2')
    await row('many-54').waitFor()
    await eventually(() => row('many-00').count()).toBe(0)
  })

  test('pauses, resumes and deletes several deployments at once', async () => {
    const some = await Promise.all([create({ tags: ['bulk'] }), create({ tags: ['bulk'] })])
    await page.goto('/deployments?tag=bulk')
    const bulk = page.getByRole('region', { name: 'Selected deployments' })
    const select = async () => {
      for (const { name } of some) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    }
    await select()
    await bulk.getByRole('button', { name: 'Pause' }).click()
    await toast('Paused 2 deployments').waitFor()
    for (const { id } of some) expect((await read(id)).paused).toBe(true)
    await page.goto('/deployments?tag=bulk&paused=yes')
    await select()
    await bulk.getByRole('button', { name: 'Resume' }).click()
    await toast('Resumed 2 deployments').waitFor()
    for (const { id } of some) expect((await read(id)).paused).toBe(false)
    await page.goto('/deployments?tag=bulk')
    await select()
    await bulk.getByRole('button', { name: 'Delete' }).click()
    await dialog().getByRole('button', { name: 'Delete all' }).click()
    await toast('Deleted 2 deployments').waitFor()
    for (const { id } of some) await expect(read(id)).rejects.toThrow('404')
  })
})

describe('a deployment', () => {
  test('starts a quick run', async () => {
    const { id } = await create({ parameters: { a: 1 } })
    await openPage(id)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.waitForURL('**/runs/flow-run/**')
    const run = await open.call('GET', `/flow_runs/${page.url().split('/').at(-1)?.split('?')[0]}`)
    expect(run).toMatchObject({ deployment_id: id, parameters: { a: 1 }, state_type: 'SCHEDULED' })
  })

  test('is paused and resumed', async () => {
    const { id } = await create()
    await openPage(id)
    await page.getByRole('button', { name: 'Pause' }).click()
    await toast('Schedules paused').waitFor()
    expect((await read(id)).paused).toBe(true)
    await page.getByRole('button', { name: 'Resume' }).click()
    await toast('Schedules resumed').waitFor()
    expect((await read(id)).paused).toBe(false)
  })

  test('shows upcoming runs, parameters, configuration and description', async () => {
    const { id } = await create({
      description: 'Reads **orders** <img src=x onerror="document.title=1">',
      entrypoint: 'flows/orders.py:ingest',
      parameters: { region: 'eu' },
      parameter_openapi_schema: {
        type: 'object',
        properties: { region: { type: 'string' }, size: { type: 'integer', default: 7, description: 'How many' } },
      },
    })
    await open.call('POST', `/deployments/${id}/create_flow_run`, {
      name: 'to-come',
      state: { type: 'SCHEDULED', state_details: { scheduled_time: '2040-01-01T00:00:00Z' } },
    })
    await openPage(id, '?tab=upcoming')
    await page.getByRole('table', { name: 'Runs' }).getByText('to-come').waitFor()
    await page.getByRole('tab', { name: /^Parameters/ }).click()
    const parameters = page.getByRole('table', { name: 'Parameters' })
    await parameters.getByText('"eu"').waitFor()
    await parameters.getByText('(flow default)').waitFor()
    await page.getByRole('tab', { name: 'Configuration' }).click()
    await page.getByText('flows/orders.py:ingest').waitFor()
    await page.getByRole('tab', { name: 'Description' }).click()
    await page.getByRole('tabpanel').locator('strong').getByText('orders').waitFor()
    await eventually(() => page.title()).toMatch(/^made-\d+ · Millrace$/)
  })

  test('edits description, tags, infrastructure and concurrency', async () => {
    const { id } = await create({ parameters: { big: 1 } })
    await openPage(id)
    await more('Edit')
    await page.waitForURL('**/edit')
    await page.getByRole('textbox', { name: 'Description' }).fill('What it is *for*')
    await page.getByRole('textbox', { name: 'Tags' }).fill('edited')
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Work pool' }).selectOption('process')
    await page.getByRole('textbox', { name: 'Concurrency limit' }).fill('none')
    await page.getByText('Enter a whole number, 1 or greater, or leave empty').waitFor()
    await eventually(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await page.getByRole('textbox', { name: 'Concurrency limit' }).fill('2')
    await page.getByRole('combobox', { name: 'At the limit' }).selectOption('New runs are cancelled')
    await page.getByRole('textbox', { name: /^Grace period/ }).fill('120')
    await page.getByRole('textbox', { name: 'Parameters' }).fill('{"big": 12345678901234567890}')
    await page.getByRole('textbox', { name: 'Job variables' }).fill('{"cpu": 2}')
    await page.getByRole('button', { name: 'Save' }).click()
    await toast('Deployment saved').waitFor()
    expect(await read(id)).toMatchObject({
      description: 'What it is *for*',
      tags: ['made', 'edited'],
      work_pool_name: 'process',
      work_queue_name: 'default',
      job_variables: { cpu: 2 },
      global_concurrency_limit: { limit: 2 },
      concurrency_options: { collision_strategy: 'CANCEL_NEW', grace_period_seconds: 120 },
    })
    // Read as text, because JavaScript would round the number.
    expect(await (await fetch(`${open.address}/api/deployments/${id}`)).text()).toContain('12345678901234567890')
    await page.getByText('new runs are cancelled').first().waitFor()

    await openPage(id, '/edit')
    await page.getByRole('textbox', { name: 'Concurrency limit' }).fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(`**/deployments/deployment/${id}`)
    expect((await read(id)).global_concurrency_limit).toBeNull()
  })

  test('is duplicated under a free name', async () => {
    const { id, name } = await create({ entrypoint: 'a.py:b', parameters: { a: 1 }, schedules: [{ schedule: { cron: '0 9 * * *' } }] })
    await openPage(id)
    await more('Duplicate')
    await page.waitForURL('**/duplicate')
    const field = page.getByRole('textbox', { name: 'Name' })
    await field.fill(name)
    await page.getByText('The flow already has a deployment with this name').waitFor()
    await page.getByRole('button', { name: 'Create' }).click()
    await field.fill(`${name}-again`)
    await page.getByText('The flow already has a deployment with this name').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create' }).click()
    await toast(`Created ${name}-again`).waitFor()
    const copy = await open.call('GET', `/deployments/name/sync-crm/${name}-again`)
    expect(copy).toMatchObject({ entrypoint: 'a.py:b', parameters: { a: 1 }, work_pool_name: 'kubernetes', schedules: [{ active: false }] })
    expect((await read(id)).schedules).toMatchObject([{ active: true }])
  })

  test('is deleted after confirmation', async () => {
    const { id, name } = await create()
    await openPage(id)
    await more('Delete…')
    await page
      .getByRole('dialog', { name: `Delete ${name}?` })
      .getByRole('button', { name: 'Delete deployment' })
      .click()
    await toast(`Deleted ${name}`).waitFor()
    await page.waitForURL('**/deployments')
    await expect(read(id)).rejects.toThrow('404')
    await openPage(id)
    await page.getByText('Deployment not found').waitFor()
  })
})

describe('schedules', () => {
  const add = () => page.getByRole('button', { name: 'Add schedule' }).click()
  const next = () => dialog().getByRole('region', { name: 'Next runs' })

  test('adds a cron schedule and previews its next runs', async () => {
    const { id } = await create({ parameter_openapi_schema: { type: 'object', required: ['region'], properties: { region: { type: 'string' } } } })
    await openPage(id, '?tab=schedules')
    await page.getByText('No schedules yet').waitFor()
    await add()
    await dialog().getByRole('textbox', { name: 'Cron expression' }).fill('30 7 * * 1')
    await dialog().getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Tokyo')
    await next().getByText('07:30:00').first().waitFor()
    const { next: times } = await open.call('POST', '/ui/schedules/preview', { schedule: { cron: '30 7 * * 1', timezone: 'Asia/Tokyo' }, count: 6 })
    await eventually(() =>
      next()
        .getByRole('time')
        .evaluateAll((found) => found.map((time) => time.getAttribute('datetime'))),
    ).toEqual(times)
    await dialog().getByRole('textbox', { name: 'Slug' }).fill('mondays')
    await dialog().getByRole('textbox', { name: 'Maximum scheduled runs' }).fill('3')
    await dialog().getByText('Run parameters').click()
    await dialog().getByRole('textbox', { name: 'region' }).fill('eu')
    await dialog().getByRole('button', { name: 'Add', exact: true }).click()
    await toast('Schedule added').waitFor()
    expect((await read(id)).schedules).toMatchObject([
      {
        schedule: { cron: '30 7 * * 1', timezone: 'Asia/Tokyo' },
        slug: 'mondays',
        active: true,
        max_scheduled_runs: 3,
        parameters: { region: 'eu' },
      },
    ])
  })

  test('rejects an invalid cron expression', async () => {
    const { id } = await create()
    await openPage(id, '?tab=schedules')
    await add()
    page.allowedErrors.push(/422/)
    await dialog().getByRole('textbox', { name: 'Cron expression' }).fill('often')
    await eventually(() => dialog().getByRole('textbox', { name: 'Cron expression' }).getAttribute('aria-invalid')).toBe('true')
    await next().getByText('No upcoming runs.').waitFor()
    await eventually(() => dialog().getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    expect((await read(id)).schedules).toEqual([])
  })

  test('adds an interval schedule and an RRULE schedule', async () => {
    const { id } = await create()
    await openPage(id, '?tab=schedules')
    await add()
    await dialog().getByRole('radio', { name: 'Interval' }).click()
    await dialog().getByRole('textbox', { name: 'Every' }).fill('1 h 30 m')
    await dialog().getByLabel('Anchor date').fill('2026-01-31T09:00')
    await dialog().getByRole('combobox', { name: 'Time zone' }).selectOption('America/New_York')
    await next().getByRole('time').first().waitFor()
    await dialog().getByRole('button', { name: 'Add', exact: true }).click()
    await toast('Schedule added').waitFor()
    const [interval] = (await read(id)).schedules
    expect(interval.schedule).toMatchObject({ interval: 5400, timezone: 'America/New_York' })
    expect(Date.parse(interval.schedule.anchor_date)).toBe(Date.parse('2026-01-31T14:00:00Z'))

    await add()
    await dialog().getByRole('radio', { name: 'RRULE' }).click()
    await dialog().getByRole('textbox', { name: 'Rule' }).fill('FREQ=MONTHLY;BYMONTHDAY=1')
    await dialog().getByRole('combobox', { name: 'Time zone' }).selectOption('UTC')
    await next().getByRole('time').first().waitFor()
    await dialog().getByRole('button', { name: 'Add', exact: true }).click()
    await eventually(async () => (await read(id)).schedules.length).toBe(2)
    const rules = (await read(id)).schedules.filter(({ schedule }: { schedule: object }) => 'rrule' in schedule)
    expect(rules[0].schedule.rrule).toContain('FREQ=MONTHLY;BYMONTHDAY=1')
  })

  test('edits, disables and deletes a schedule', async () => {
    const { id } = await create({ schedules: [{ schedule: { cron: '0 9 * * *' }, parameters: { a: 1 } }] })
    await openPage(id, '?tab=schedules')
    await page.getByRole('switch', { name: '0 9 * * *' }).click()
    await toast('Schedule disabled').waitFor()
    expect((await read(id)).schedules).toMatchObject([{ active: false, parameters: { a: 1 } }])

    await page.getByRole('button', { name: 'Actions for 0 9 * * *' }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    await dialog().getByRole('button', { name: 'Weekdays at 9' }).click()
    await dialog().getByRole('switch', { name: 'Enabled' }).click()
    await dialog().getByRole('button', { name: 'Save' }).click()
    await toast('Schedule saved').waitFor()
    expect((await read(id)).schedules).toMatchObject([{ active: true, schedule: { cron: '0 9 * * 1-5' }, parameters: { a: 1 } }])

    await page.getByRole('button', { name: 'Actions for 0 9 * * 1-5' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await dialog().getByRole('button', { name: 'Delete schedule' }).click()
    await toast('Schedule deleted').waitFor()
    expect((await read(id)).schedules).toEqual([])
  })

  test('shows a calendar with the times of the scheduler', async () => {
    const schedule = { cron: '15 6 * * *', timezone: 'UTC' }
    const { id } = await create({ schedules: [{ schedule }] })
    await openPage(id, '?tab=calendar')
    const calendar = page.getByRole('region', { name: 'Calendar of upcoming runs' })
    await calendar.getByRole('button', { name: 'Next month' }).click()
    // A full future month in the browser's time zone, Europe/Berlin.
    const shown = () => calendar.locator('tbody li time').evaluateAll((found) => found.map((time) => time.getAttribute('datetime') ?? ''))
    await eventually(async () => (await shown()).length).toBeGreaterThan(27)
    const times = await shown()
    const first = new Date(Date.parse(times[0] ?? '') - 1000).toISOString()
    const { next: expected } = await open.call('POST', '/ui/schedules/preview', { schedule, count: times.length, after: first })
    expect(times).toEqual(expected)
    await calendar.getByRole('radio', { name: 'Week' }).click()
    await eventually(async () => (await shown()).length).toBeLessThanOrEqual(7)
    await open.call('POST', `/deployments/${id}/pause_deployment`)
    await openPage(id, '?tab=calendar')
    await calendar.getByText('The deployment is paused').waitFor()
  })
})

test('shows the runs of a deployment for an unknown tab, and every list for unknown parameters', async () => {
  const { id } = await create()
  for (const tab of ['unknown', 'constructor', '__proto__']) {
    await openPage(id, `?tab=${tab}`)
    await page.getByRole('tab', { name: 'Runs', selected: true }).waitFor()
  }
  for (const at of ['deployments', 'flows', 'variables', 'runs', 'blocks', 'events']) {
    await page.goto(`/${at}?sort=constructor&page=x&state=constructor&type=__proto__`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByText('went wrong').count()).toBe(0)
  }
})
