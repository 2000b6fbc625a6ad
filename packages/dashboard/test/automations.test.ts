import { describe, expect, test } from 'vitest'
import type { OpenPage } from './browser.ts'
import { eventually } from './eventually.ts'
import type { OpenSeededServer } from './open-server.ts'
import { openSeededTestServer } from './test-server.ts'
import { withPage } from './with-page.ts'

let open: OpenSeededServer
let page: OpenPage
let notifier: string
let webhook: string
withPage(openSeededTestServer, async (opened, first) => {
  open = opened
  page = first
  notifier = await newBlock('slack-webhook', 'team-channel', { url: 'https://hooks.example.com/1' })
  webhook = await newBlock('webhook', 'build-server', { url: 'https://build.example.com', method: 'POST' })
})

const toast = (text: string | RegExp) => page.getByRole('region', { name: 'Notifications' }).getByText(text)
const failing = { posture: 'Reactive', match: { 'prefect.resource.id': 'prefect.flow-run.*' }, expect: ['prefect.flow-run.Failed'] }

async function newBlock(slug: string, name: string, data: object): Promise<string> {
  const { id: block_type_id } = await open.call('GET', `/block_types/slug/${slug}`)
  const [schema] = await open.call('POST', '/block_schemas/filter', { block_schemas: { block_type_id: { any_: [block_type_id] } } })
  return (await open.call('POST', '/block_documents/', { name, data, block_schema_id: schema.id, block_type_id })).id
}

const newAutomation = async (name: string, more: object = {}): Promise<string> =>
  (await open.call('POST', '/automations/', { name, trigger: failing, actions: [{ type: 'cancel-flow-run' }], ...more })).id
const automation = (id: string) => open.call('GET', `/automations/${id}`)
const idInAddress = (): string => /automation\/([0-9a-f-]{36})$/.exec(new URL(page.url()).pathname)?.[1] ?? ''

/** The saved automation, read from the API. */
async function saved() {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/\/automations\/automation\/[0-9a-f-]{36}$/)
  return automation(idInAddress())
}

const choose = async (field: string | RegExp, name: string) => {
  await page.getByRole('button', { name: field }).click()
  await page.getByRole('dialog').getByRole('button', { name }).click()
}
const addAction = async (label: string, nth = 1) => {
  await page.getByRole('button', { name: nth === 1 ? 'Add an action' : 'Add another action' }).click()
  await page.getByRole('combobox', { name: `Action ${nth}`, exact: true }).selectOption({ label })
}

describe('the automation list', () => {
  test('keeps name and tag filters in the URL and has pages', async () => {
    await newAutomation('alpha watch', { tags: ['first'] })
    await newAutomation('beta watch')
    await page.goto('/automations')
    const rows = page
      .getByRole('table', { name: 'Automations' })
      .getByRole('row')
      .filter({ has: page.getByRole('switch') })
    await rows.filter({ hasText: 'beta watch' }).waitFor()
    await page.getByRole('textbox', { name: 'Filter by name' }).fill('ALPHA')
    await page.waitForURL('**/automations?name=ALPHA')
    await rows.filter({ hasText: 'beta watch' }).waitFor({ state: 'detached' })
    await eventually(() => rows.count()).toBe(1)
    await page.goto('/automations?tag=first')
    await rows.filter({ hasText: 'alpha watch' }).getByText('No event has matched the trigger yet.').waitFor()
    await eventually(() => rows.count()).toBe(1)
  })

  test('disables and enables an automation', async () => {
    const id = await newAutomation('switch me')
    await page.goto('/automations?name=switch+me')
    await page.getByRole('switch', { name: 'switch me enabled' }).click()
    await toast('Disabled switch me').waitFor()
    expect((await automation(id)).enabled).toBe(false)
    await page.getByText('Disabled.').waitFor()
    await page.getByRole('switch', { name: 'switch me enabled' }).click()
    await toast('Enabled switch me').waitFor()
    expect((await automation(id)).enabled).toBe(true)
  })

  test('deletes an automation after confirmation', async () => {
    const id = await newAutomation('leave me')
    await page.goto('/automations?name=leave+me')
    const remove = async (answer: string) => {
      await page.getByRole('button', { name: 'More for leave me' }).click()
      await page.getByRole('menuitem', { name: 'Delete…' }).click()
      await page.getByRole('dialog', { name: 'Delete leave me?' }).getByRole('button', { name: answer }).click()
    }
    await remove('Cancel')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await automation(id)).name).toBe('leave me')
    await remove('Delete')
    await toast('Deleted leave me').waitFor()
    await expect(automation(id)).rejects.toThrow('404')
    await page.getByRole('switch', { name: 'leave me is on' }).waitFor({ state: 'detached' })
  })
})

describe('the automation page', () => {
  test('describes trigger, actions, status and activity', async () => {
    const id = await newAutomation('tell me', {
      trigger: {
        ...failing,
        match_related: { 'prefect.resource.role': 'flow', 'prefect.resource.id': [`prefect.flow.${open.seed.flows['sync-crm']}`] },
      },
      actions: [{ type: 'run-deployment', deployment_id: open.seed.deployments['check-heartbeats'], schedule_after: 60 }],
    })
    const resource = { 'prefect.resource.id': `prefect.automation.${id}`, 'prefect.resource.name': 'tell me' }
    const occurred = new Date().toISOString()
    await open.call('POST', '/events', [{ id: crypto.randomUUID(), occurred, event: 'prefect.automation.triggered', resource }])
    await page.goto(`/automations/automation/${id}`)
    await page.getByRole('region', { name: 'Trigger', exact: true }).getByText('When a run of sync-crm enters Failed.').waitFor()
    await page.getByRole('region', { name: 'Actions', exact: true }).getByText('Run every-20-min after 1 m.').waitFor()
    await page.getByRole('region', { name: 'Status' }).getByText('No event has matched the trigger yet.').waitFor()
    await page.getByRole('list', { name: 'Activity' }).getByText('Triggered').waitFor()
    await eventually(() => page.getByRole('region', { name: 'JSON' }).textContent()).toContain('"prefect.flow-run.Failed"')
    await page.getByRole('switch', { name: 'tell me enabled' }).click()
    await toast('Disabled tell me').waitFor()
    expect((await automation(id)).enabled).toBe(false)
  })

  test('duplicates an automation', async () => {
    const id = await newAutomation('copy me', { tags: ['a'] })
    await page.goto(`/automations/automation/${id}`)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.waitForURL(`**/automations/create?from=automation%3A${id}`)
    const copy = await saved()
    expect(copy).toMatchObject({ name: 'copy me (copy)', tags: ['a'], actions: [{ type: 'cancel-flow-run' }] })
    expect(copy.id).not.toBe(id)
    expect(copy.trigger.expect).toEqual(failing.expect)
  })

  test('reports an unknown automation', async () => {
    await page.goto(`/automations/automation/${crypto.randomUUID()}`)
    await page.getByRole('alert').getByText('Automation not found').waitFor()
  })
})

describe('the automation editor', { timeout: 90_000 }, () => {
  test('creates a run state trigger and previews matching events', async () => {
    await page.goto('/automations/create')
    await page.getByRole('textbox', { name: 'Name' }).fill('crm is broken')
    await choose(/^Flows/, 'sync-crm')
    await page.getByRole('checkbox', { name: 'Crashed' }).uncheck()
    const filter = {
      occurred: { since: new Date(Date.now() - 86_400_000).toISOString() },
      event: { name: ['prefect.flow-run.Failed'] },
      related: { id: [`prefect.flow.${open.seed.flows['sync-crm']}`] },
    }
    const { total } = await open.call('POST', '/events/filter', { filter, limit: 1 })
    expect(total).toBeGreaterThan(1)
    const matching = page.getByRole('region', { name: 'Matching events' })
    await matching
      .getByRole('status')
      .filter({ hasText: new RegExp(`^${total}\\s*events$`) })
      .waitFor()
    await page.getByText('When a run of sync-crm enters Failed.').waitFor()

    await addAction('Send a notification')
    await choose(/^Block:/, 'team-channel')
    await page.getByRole('textbox', { name: 'Subject' }).fill('{{ flow_run.name }} failed')
    expect(await saved()).toMatchObject({
      name: 'crm is broken',
      enabled: true,
      trigger: {
        type: 'event',
        posture: 'Reactive',
        expect: ['prefect.flow-run.Failed'],
        match_related: { 'prefect.resource.role': 'flow', 'prefect.resource.id': [`prefect.flow.${open.seed.flows['sync-crm']}`] },
      },
      actions: [{ type: 'send-notification', block_document_id: notifier, subject: '{{ flow_run.name }} failed' }],
    })
  })

  test('creates a trigger for a work pool that stays not ready', async () => {
    const { id: pool } = await open.call('GET', '/work_pools/gpu')
    await page.goto(`/automations/create?from=work-pool:${pool}`)
    await page.getByText('When gpu becomes Not ready.').waitFor()
    await page.getByRole('radio', { name: 'Stays' }).click()
    await page.getByRole('spinbutton', { name: 'For' }).fill('10')
    await page.getByText('When gpu stays Not ready for 10 m.').waitFor()
    await addAction('Pause a work pool')
    await page.getByRole('radio', { name: 'From the event' }).click()
    expect(await saved()).toMatchObject({
      name: 'gpu is not ready',
      trigger: { posture: 'Proactive', after: ['prefect.work-pool.not-ready'], expect: ['prefect.work-pool.*'], within: 600 },
      actions: [{ type: 'pause-work-pool', source: 'inferred' }],
    })
  })

  test('creates nested compound triggers', async () => {
    await page.goto('/automations/create')
    await page.getByRole('textbox', { name: 'Name' }).fill('both')
    await page.getByRole('combobox', { name: 'Trigger on' }).selectOption('Compound trigger')
    await page.getByRole('combobox', { name: 'Required triggers' }).selectOption('Any of them')
    const second = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('combobox', { name: 'Trigger on' }) })
      .nth(1)
    await second.getByRole('combobox', { name: 'Trigger on' }).selectOption('Sequence of triggers')
    const inner = second.getByRole('combobox', { name: 'Trigger on' }).nth(1)
    await inner.selectOption('Work queue status')
    await addAction('Do nothing')
    expect((await saved()).trigger).toMatchObject({
      type: 'compound',
      require: 'any',
      within: 3600,
      triggers: [
        { type: 'event', expect: ['prefect.flow-run.Failed', 'prefect.flow-run.Crashed'] },
        { type: 'sequence', triggers: [{ type: 'event', expect: ['prefect.work-queue.not-ready'] }, { type: 'event' }] },
      ],
    })
    await page.getByRole('region', { name: 'Trigger', exact: true }).getByText('When any of these occurs within 1 h:').waitFor()
  })

  test('creates a custom trigger with labels and suggested event names', async () => {
    await page.goto('/automations/create')
    await page.getByRole('textbox', { name: 'Name' }).fill('orders stall')
    await page.getByRole('combobox', { name: 'Trigger on' }).selectOption('Any event')
    await page.locator('datalist option[value="prefect.flow-run.Completed"]').first().waitFor({ state: 'attached' })
    await page.getByRole('radio', { name: 'An event does not occur' }).click()
    for (const name of ['Failed', 'Crashed']) await page.getByRole('button', { name: `Remove prefect.flow-run.${name}` }).click()
    await page.getByRole('combobox', { name: 'Events' }).fill('order.*')
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Start counting after' }).fill('shop.opened')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove label prefect.resource.id' }).click()
    await page.getByRole('combobox', { name: 'Label name for Resource labels' }).fill('shop')
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'shop' }).fill('berlin-*')
    await page.keyboard.press('Enter')
    await page.getByRole('spinbutton', { name: 'Fewer than' }).fill('3')
    await page.getByRole('spinbutton', { name: 'Within' }).fill('15')
    await addAction('Do nothing')
    expect((await saved()).trigger).toMatchObject({
      posture: 'Proactive',
      expect: ['order.*'],
      after: ['shop.opened'],
      match: { shop: 'berlin-*' },
      threshold: 3,
      within: 900,
      for_each: ['prefect.resource.id'],
    })
  })

  test('has fields for every action type', async () => {
    const pool = await open.call('GET', '/work_pools/process')
    const [queue] = await open.call('POST', '/work_pools/process/queues/filter', {})
    const other = await newAutomation('another one')
    await page.goto('/automations/create')
    await page.getByRole('textbox', { name: 'Name' }).fill('everything')
    const action = (nth: number) => page.getByRole('group', { name: `Action ${nth}`, exact: true })
    const target = async (nth: number, label: string, field: string, name: string) => {
      await addAction(label, nth)
      await action(nth)
        .getByRole('button', { name: new RegExp(`^${field}:`) })
        .click()
      await page.getByRole('textbox', { name: `Search ${field}` }).fill(name)
      await page.getByRole('dialog').getByRole('button', { name }).first().click()
    }
    await target(1, 'Run a deployment', 'Deployment', 'nightly')
    await action(1).getByRole('switch', { name: 'Override parameters' }).click()
    await action(1).getByRole('textbox', { name: 'Parameters' }).fill('{ "day": "{{ event.occurred }}" }')
    await target(2, 'Pause a deployment', 'Deployment', 'hourly')
    await target(3, 'Resume a work pool', 'Work pool', 'process')
    await target(4, 'Pause a work queue', 'Work queue', 'default')
    await target(5, 'Pause an automation', 'Automation', 'another one')
    await addAction('Set the state of the run', 6)
    await action(6).getByRole('combobox', { name: 'State' }).selectOption('Crashed')
    await action(6).getByRole('textbox', { name: 'Message' }).fill('by an automation')
    await target(7, 'Call a webhook', 'Block', 'build-server')
    await action(7).getByRole('textbox', { name: 'Payload' }).fill('{{ flow_run.name }}')
    const plain = ['Cancel the run', 'Suspend the run', 'Resume the run', 'Delete the run', 'Do nothing']
    for (const [index, label] of plain.entries()) await addAction(label, 8 + index)
    const { actions } = await saved()
    expect(actions).toMatchObject([
      { type: 'run-deployment', deployment_id: open.seed.deployments['warehouse-load'], parameters: { day: '{{ event.occurred }}' } },
      { type: 'pause-deployment', source: 'selected' },
      { type: 'resume-work-pool', work_pool_id: pool.id },
      { type: 'pause-work-queue', source: 'selected' },
      { type: 'pause-automation', automation_id: other },
      { type: 'change-flow-run-state', state: 'CRASHED', message: 'by an automation' },
      { type: 'call-webhook', block_document_id: webhook, payload: '{{ flow_run.name }}' },
      { type: 'cancel-flow-run' },
      { type: 'suspend-flow-run' },
      { type: 'resume-flow-run' },
      { type: 'delete-flow-run' },
      { type: 'do-nothing' },
    ])
    expect(typeof queue.id).toBe('string')
  })

  test('converts between form and JSON without loss', async () => {
    const trigger = {
      ...failing,
      for_each: ['prefect.resource.id'],
      match_related: [{ 'prefect.resource.role': 'creator', colour: ['!red', 'blue*'] }],
      threshold: 4,
      within: 12.5,
    }
    const id = await newAutomation('as text', {
      trigger,
      actions: [{ type: 'run-deployment', deployment_id: open.seed.deployments['sync-crm'], parameters: { n: 1 } }],
    })
    const before = await automation(id)
    await page.goto(`/automations/automation/${id}/edit`)
    await page.getByRole('radio', { name: 'JSON' }).click()
    const text = page.getByRole('textbox', { name: 'Automation' })
    await eventually(() => text.inputValue()).toContain('as text')
    const written = JSON.parse(await text.inputValue())
    expect(written.trigger).toMatchObject(trigger)
    await text.fill(JSON.stringify({ ...written, description: 'by hand' }))
    await page.getByRole('radio', { name: 'Form' }).click()
    await eventually(() => page.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('by hand')
    await page.getByRole('spinbutton', { name: 'Times' }).fill('5')
    const { id: _id, updated: _updated, ...after } = await saved()
    const { id: _sameId, updated: _before, ...was } = before
    expect(after).toEqual({ ...was, description: 'by hand', trigger: { ...was.trigger, id: after.trigger.id, threshold: 5 } })

    await page.goto(`/automations/automation/${id}/edit`)
    await page.getByRole('radio', { name: 'JSON' }).click()
    await text.fill('{ "name": "broken", "trigger": { "posture": "Sideways" } }')
    await page.getByText('`trigger.posture` must be Reactive or Proactive').waitFor()
    await eventually(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  })

  test('shows errors at their fields', async () => {
    page.allowedErrors.push(/422/)
    await page.goto('/automations/create')
    await page.getByRole('textbox', { name: 'Name' }).fill('faulty')
    await page.getByRole('radio', { name: 'Stays in' }).click()
    await page.getByRole('combobox', { name: 'Unit of For' }).selectOption('seconds')
    await page.getByRole('spinbutton', { name: 'For' }).fill('3')
    await addAction('Run a deployment')
    await addAction('Send a notification', 2)
    await choose(/^Block:/, 'team-channel')
    await page.getByRole('textbox', { name: 'Body' }).fill('{{ flow_run.name ')
    await page.getByText(/Unexpected end of template/).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await toast('Invalid request').waitFor()
    const described = async (field: ReturnType<OpenPage['getByRole']>) => {
      const ids = (await field.getAttribute('aria-describedby')) ?? ''
      return (await Promise.all(ids.split(' ').map((id) => page.locator(`[id="${id}"]`).textContent()))).join(' ')
    }
    await eventually(() => described(page.getByRole('spinbutton', { name: 'For' }))).toContain('at least 10 seconds')
    await eventually(() => described(page.getByRole('button', { name: /^Deployment:/ }))).toContain('deployment_id is required')
    expect((await open.call('POST', '/automations/filter', { automations: { name: { any_: ['faulty'] } } })).length).toBe(0)
  })

  test('edits an automation', async () => {
    const id = await newAutomation('before')
    await page.goto(`/automations/automation/${id}`)
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.waitForURL(`**/automations/automation/${id}/edit`)
    await page.getByRole('textbox', { name: 'Name' }).fill('after')
    await page.getByRole('textbox', { name: 'Tags', exact: true }).fill('new')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove action 1' }).click()
    await addAction('Suspend the run')
    expect(await saved()).toMatchObject({ id, name: 'after', tags: ['new'], actions: [{ type: 'suspend-flow-run' }] })
  })

  test('starts with a deployment as the trigger', async () => {
    await page.goto(`/deployments/deployment/${open.seed.deployments['ingest-orders']}`)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Create automation' }).click()
    await page.waitForURL(`**/automations/create?from=deployment%3A${open.seed.deployments['ingest-orders']}`)
    await page.getByText('When a run of every-15-min enters Failed or Crashed.').waitFor()
    await addAction('Cancel the run')
    expect(await saved()).toMatchObject({
      name: 'every-15-min fails',
      trigger: {
        match_related: {
          'prefect.resource.role': 'deployment',
          'prefect.resource.id': [`prefect.deployment.${open.seed.deployments['ingest-orders']}`],
        },
      },
    })
  })
})
