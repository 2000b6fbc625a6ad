import { expect, test } from 'vitest'
import type { OpenPage } from './browser.ts'
import { eventually } from './eventually.ts'
import type { OpenSeededServer } from './open-server.ts'
import { openSeededTestServer } from './test-server.ts'
import { withPage } from './with-page.ts'

let open: OpenSeededServer
let page: OpenPage
let deployment: string
withPage(openSeededTestServer, async (opened, first) => {
  open = opened
  page = first
  deployment = (
    await open.call('POST', '/deployments/', {
      name: 'of-every-kind',
      flow_id: open.seed.flows['ingest-orders'],
      work_pool_name: 'kubernetes',
      tags: ['prod'],
      parameters: { region: 'eu' },
      parameter_openapi_schema: schema,
    })
  ).id
})

const schema = {
  type: 'object',
  required: ['customer', 'since', 'source'],
  properties: {
    region: { title: 'Region', type: 'string', enum: ['eu', 'us'], position: 0 },
    customer: { title: 'Customer', type: 'integer', minimum: 1, position: 1 },
    since: { title: 'Since', type: 'string', format: 'date-time', position: 2 },
    day: { title: 'Day', anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }], default: null, position: 3 },
    wait: { title: 'Wait', type: 'string', format: 'duration', position: 4 },
    dry_run: { title: 'Dry run', type: 'boolean', default: false, position: 5 },
    tables: { title: 'Tables', type: 'array', items: { type: 'string' }, default: ['orders', 'customers'], position: 6 },
    retry: { title: 'Retry', $ref: '#/definitions/Retry', position: 7 },
    source: { title: 'Source', anyOf: [{ type: 'string', title: 'Address' }, { $ref: '#/definitions/Bucket' }], position: 8 },
    labels: { title: 'Labels', type: 'object', additionalProperties: { type: 'string' }, position: 9 },
    even: { title: 'Even', type: 'array', items: { type: 'integer' }, contains: { const: 2 }, position: 10 },
  },
  definitions: {
    Retry: { type: 'object', required: ['attempts'], properties: { attempts: { title: 'Attempts', type: 'integer', default: 3, maximum: 9 } } },
    Bucket: { title: 'Bucket', type: 'object', required: ['name'], properties: { name: { title: 'Bucket name', type: 'string' } } },
  },
}

const box = (name: string) => page.getByRole('textbox', { name, exact: true })
const group = (name: string) => page.getByRole('group', { name })
const run = () => page.getByRole('button', { name: 'Run', exact: true }).click()
const openForm = () => page.goto(`/deployments/deployment/${deployment}/run`)
/** The JSON text of the created run. Parsing would round its long numbers. */
const madeRun = async (): Promise<string> => {
  await page.waitForURL('**/runs/flow-run/**')
  return (await fetch(`${open.address}/api/flow_runs/${page.url().split('/').at(-1)?.split('?')[0]}`)).text()
}

test('starts a custom run with a form that has every kind of field', async () => {
  await openForm()
  await page.getByRole('combobox', { name: 'Region' }).selectOption('us')
  await box('Customer *').fill('9007199254740993')
  await page.getByLabel('Since *').fill('2026-07-31T09:00')
  await page.getByRole('combobox', { name: 'Time zone of Since' }).selectOption('America/New_York')
  await page.getByLabel('Day').fill('2026-08-01')
  await box('Wait').fill('1 h 30 m')
  await page.getByRole('switch', { name: 'Dry run' }).click()
  await page.getByRole('button', { name: 'Move Tables 2 up' }).click()
  await page.getByRole('button', { name: 'Add item to Tables' }).click()
  await box('Tables 3').fill('prices')
  await page.getByRole('button', { name: 'Remove Tables 2' }).click()
  await box('Attempts *').fill('5')
  await page.getByRole('radio', { name: 'Bucket' }).click()
  await box('Bucket name *').fill('raw')
  await box('New key in Labels').fill('team')
  await page.keyboard.press('Enter')
  await box('team').fill('data')
  await box('Name').fill('by-hand')
  await box('Message').fill('for Ada')
  await box('Tags').fill('once')
  await page.keyboard.press('Enter')
  await run()
  const text = await madeRun()
  expect(text).toContain('9007199254740993')
  const made = JSON.parse(text)
  expect(made.tags.toSorted()).toEqual(['once', 'prod'])
  expect(made).toMatchObject({ name: 'by-hand', state_type: 'SCHEDULED', state: { message: 'for Ada' } })
  expect(made.parameters).toMatchObject({
    region: 'us',
    day: '2026-08-01',
    wait: 'PT1H30M',
    dry_run: true,
    tables: ['customers', 'prices'],
    retry: { attempts: 5 },
    source: { name: 'raw' },
    labels: { team: 'data' },
  })
  expect(Date.parse(made.parameters.since)).toBe(Date.parse('2026-07-31T13:00:00Z'))
})

test('shows client and server errors at their fields', async () => {
  const before = await open.call('POST', '/flow_runs/count', { deployments: { id: { any_: [deployment] } } })
  await openForm()
  await run()
  await group('Source *').getByText('Required', { exact: true }).waitFor()
  await eventually(() => box('Customer *').getAttribute('aria-invalid')).toBe('true')
  await box('Customer *').fill('0')
  await page.getByText('At least 1').waitFor()
  await box('Customer *').fill('1.5')
  await page.getByText('Must be a whole number').waitFor()
  await box('Customer *').fill('7')
  await page.getByLabel('Since *').fill('2026-07-31T09:00')
  await page.getByRole('radio', { name: 'Address' }).click()
  await box('Address').fill('s3://raw')
  await box('Wait').fill('soon')
  await page.getByText('Must be a duration, such as 1 h 30 m').waitFor()
  await box('Wait').fill('')
  // Only the server validates `contains`.
  await page.getByRole('button', { name: 'Add item to Even' }).click()
  await box('Even 1').fill('3')
  await run()
  await group('Even').locator('p.text-danger').first().waitFor()
  expect(await open.call('POST', '/flow_runs/count', { deployments: { id: { any_: [deployment] } } })).toBe(before)
  await box('Even 1').fill('2')
  await run()
  expect(JSON.parse(await madeRun()).parameters).toMatchObject({ customer: 7, even: [2], source: 's3://raw' })
})

test('converts between form and JSON without loss', async () => {
  await openForm()
  await page.getByRole('radiogroup', { name: 'Parameters as' }).getByRole('radio', { name: 'JSON' }).click()
  const json = page.getByRole('textbox', { name: 'Parameters' })
  const values = '{"region": "us", "customer": 12345678901234567890, "since": "2026-07-31T09:00:00Z", "source": "x", "extra": {"kept": [1, null]}}'
  await json.fill(values.slice(0, -1))
  await page.getByText('Invalid JSON').waitFor()
  await json.fill(values)
  await page.getByRole('radio', { name: 'Form' }).click()
  await page.getByText('Also set: extra (edit as JSON)').waitFor()
  await eventually(() => box('Customer *').inputValue()).toBe('12345678901234567890')
  await page.getByRole('combobox', { name: 'Region' }).selectOption('eu')
  await page.getByRole('radiogroup', { name: 'Parameters as' }).getByRole('radio', { name: 'JSON' }).click()
  await eventually(() => json.inputValue()).toContain('12345678901234567890')
  await run()
  const text = await madeRun()
  expect(text).toContain('12345678901234567890')
  expect(JSON.parse(text).parameters).toMatchObject({ region: 'eu', extra: { kept: [1, null] } })
})

test('starts a run later, in another queue, with job variables', async () => {
  await open.call('POST', '/work_pools/kubernetes/queues', { name: 'fast' })
  const plain = await open.call('POST', '/deployments/', { name: 'plain', flow_id: open.seed.flows['sync-crm'], work_pool_name: 'kubernetes' })
  await page.goto(`/deployments/deployment/${plain.id}/run`)
  await page.getByRole('radio', { name: 'Later' }).click()
  await page.getByText('Enter a start time').waitFor()
  await page.getByLabel('Start at *').fill('2040-01-31T09:00')
  await page.getByRole('combobox', { name: 'Time zone of Start at' }).selectOption('Asia/Tokyo')
  await page.getByRole('combobox', { name: 'Queue' }).selectOption('fast')
  await page.getByRole('textbox', { name: 'Job variables' }).fill('{"cpu": 2}')
  await run()
  const made = JSON.parse(await madeRun())
  expect(made).toMatchObject({ work_queue_name: 'fast', job_variables: { cpu: 2 } })
  expect(Date.parse(made.next_scheduled_start_time)).toBe(Date.parse('2040-01-31T00:00:00Z'))
})
