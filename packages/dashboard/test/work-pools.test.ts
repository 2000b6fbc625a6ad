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
const row = (table: string, name: string) => page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: name })
const dialog = () => page.getByRole('dialog')
const read = (pool: string) => open.call('GET', `/work_pools/${pool}`)
const queue = (pool: string, name: string) => open.call('GET', `/work_pools/${pool}/queues/${name}`)
const more = async (name: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('work pools', () => {
  test('lists health, load and slots and filters by name', async () => {
    await page.goto('/work-pools')
    await row('Work pools', 'gpu').getByText('No workers online').waitFor()
    await row('Work pools', 'gpu').getByRole('link', { name: '3 late' }).waitFor()
    await row('Work pools', 'kubernetes').getByText('2 workers').waitFor()
    const { active_slots } = await read('kubernetes')
    await row('Work pools', 'kubernetes').getByText(`${active_slots} / 8`).waitFor()
    await page.getByRole('textbox', { name: 'Filter by name' }).fill('gp')
    await page.waitForURL('**name=gp')
    await row('Work pools', 'kubernetes').waitFor({ state: 'detached' })
    await row('Work pools', 'gpu').getByRole('link', { name: '3 late' }).click()
    await page.waitForURL('**/runs?**')
    await page.getByRole('table', { name: 'Runs' }).getByText('train-forecast').first().waitFor()
  })

  test('creates a pool from a type with changed job template values', async () => {
    await page.goto('/work-pools')
    await page.getByRole('link', { name: 'New work pool' }).click()
    await page.getByRole('radio', { name: /^Docker/ }).check()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Enter a name').waitFor()
    const about = page.getByRole('region', { name: 'General' })
    await about.getByRole('textbox', { name: 'Name *' }).fill('boxes')
    await about.getByRole('textbox', { name: 'Description' }).fill('In containers')
    await about.getByRole('textbox', { name: 'Concurrency limit' }).fill('5')
    const template = page.getByRole('region', { name: 'Job template' })
    await template.getByRole('textbox', { name: /^New key in Env/ }).fill('STAGE')
    await page.keyboard.press('Enter')
    await template.getByRole('textbox', { name: 'STAGE' }).fill('prod')
    await page.getByRole('button', { name: 'Create' }).click()
    await toast('Created boxes').waitFor()
    await page.waitForURL('**/work-pools/work-pool/boxes')
    const pool = await read('boxes')
    expect(pool).toMatchObject({ type: 'docker', description: 'In containers', concurrency_limit: 5, is_paused: false })
    expect(pool.base_job_template.variables.properties.env.default).toEqual({ STAGE: 'prod' })
    expect(pool.base_job_template.job_configuration).toBeDefined()
  })

  test('edits a pool and its template as JSON', async () => {
    await open.call('POST', '/work_pools/', {
      name: 'edited',
      type: 'process',
      base_job_template: {
        job_configuration: { cpu: '{{ cpu }}' },
        variables: { type: 'object', properties: { cpu: { title: 'CPU', type: 'integer', default: 1 } } },
      },
    })
    await page.goto('/work-pools/work-pool/edited')
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'CPU' }).fill('4')
    await page.getByRole('textbox', { name: 'Description' }).fill('Now described')
    await page.getByRole('textbox', { name: 'Concurrency limit' }).fill('3')
    await page.getByRole('radio', { name: 'JSON' }).click()
    const json = page.getByRole('textbox', { name: 'Base job template' })
    await eventually(async () => JSON.parse(await json.inputValue()).variables.properties.cpu.default).toBe(4)
    await page.getByRole('button', { name: 'Save' }).click()
    await toast('Saved edited').waitFor()
    expect(await read('edited')).toMatchObject({
      description: 'Now described',
      concurrency_limit: 3,
      base_job_template: { job_configuration: { cpu: '{{ cpu }}' }, variables: { properties: { cpu: { title: 'CPU', default: 4 } } } },
    })
    await page.getByRole('tab', { name: 'Configuration' }).click()
    await row('Job template variables', 'CPU').getByText('4').waitFor()
  })

  test('pauses and resumes a pool in the list and on its page', async () => {
    await page.goto('/work-pools')
    await page.getByRole('switch', { name: 'process enabled' }).click()
    await toast('process paused').waitFor()
    expect((await read('process')).is_paused).toBe(true)
    await row('Work pools', 'process').getByText('Paused').first().waitFor()
    await page.goto('/work-pools/work-pool/process')
    await page.getByRole('button', { name: 'Resume' }).click()
    await toast('process resumed').waitFor()
    expect((await read('process')).is_paused).toBe(false)
  })

  test('shows runs, upcoming runs and slot holders of a pool', async () => {
    await page.goto('/work-pools/work-pool/kubernetes')
    await page.getByRole('table', { name: 'Runs' }).getByText('ingest-orders').first().waitFor()
    await page.getByRole('tab', { name: 'Upcoming' }).click()
    await page.getByRole('table', { name: 'Runs' }).getByText('Scheduled').first().waitFor()
    await page.getByRole('tab', { name: /^Slots/ }).click()
    const status = await open.call('POST', '/work_pools/kubernetes/concurrency_status', {})
    const holder = status.queues.flatMap(({ flow_runs }: { flow_runs: { id: string; name: string }[] }) => flow_runs)[0]
    const link = page.getByRole('region', { name: 'default' }).getByRole('link', { name: holder.name })
    await eventually(() => link.getAttribute('href')).toBe(`/runs/flow-run/${holder.id}`)
  })

  test('deletes a pool after confirmation', async () => {
    await open.call('POST', '/work_pools/', { name: 'doomed', type: 'process' })
    await page.goto('/work-pools/work-pool/doomed')
    await more('doomed', 'Delete…')
    await page.getByRole('dialog', { name: 'Delete doomed?' }).getByRole('button', { name: 'Delete work pool' }).click()
    await toast('Deleted doomed').waitFor()
    await page.waitForURL('**/work-pools')
    await expect(read('doomed')).rejects.toThrow('404')
  })
})

describe('work queues', () => {
  test('validates and creates a queue', async () => {
    await page.goto('/work-pools/work-pool/kubernetes?tab=queues')
    await page.getByRole('button', { name: 'New queue' }).click()
    await dialog().getByRole('textbox', { name: 'Priority' }).fill('0')
    await dialog().getByRole('button', { name: 'Create' }).click()
    await dialog().getByText('Enter a name').waitFor()
    await dialog().getByText('Enter a whole number, 1 or greater').waitFor()
    await dialog().getByRole('textbox', { name: 'Name *' }).fill('fast lane')
    await dialog().getByRole('textbox', { name: 'Priority' }).fill('1')
    await dialog().getByRole('textbox', { name: 'Concurrency limit' }).fill('2')
    await dialog().getByRole('button', { name: 'Create' }).click()
    await toast('Created fast lane').waitFor()
    expect(await queue('kubernetes', 'fast lane')).toMatchObject({ priority: 1, concurrency_limit: 2 })
    expect((await queue('kubernetes', 'urgent')).priority).toBe(2)
    await row('Queues', 'fast lane').getByText('0 / 2').waitFor()
  })

  test('changes the priority order', async () => {
    await open.call('POST', '/work_pools/', { name: 'ordered', type: 'process' })
    for (const name of ['a', 'b']) await open.call('POST', '/work_pools/ordered/queues', { name })
    const order = async () => {
      const queues: { name: string; priority: number }[] = await open.call('POST', '/work_pools/ordered/queues/filter', {})
      return queues.toSorted((x, y) => x.priority - y.priority).map(({ name }) => name)
    }
    await page.goto('/work-pools/work-pool/ordered?tab=queues')
    expect(await order()).toEqual(['default', 'a', 'b'])
    await page.getByRole('button', { name: 'Move b up' }).click()
    await toast('b moved before a').waitFor()
    expect(await order()).toEqual(['default', 'b', 'a'])
    await page.getByRole('button', { name: 'Move default down' }).click()
    await toast('default moved after b').waitFor()
    expect(await order()).toEqual(['b', 'default', 'a'])
  })

  test('shows the runs of a queue on its page', async () => {
    await page.goto('/work-pools/work-pool/kubernetes?tab=queues')
    await row('Queues', 'default').getByRole('link', { name: 'default' }).click()
    await page.waitForURL('**/work-pools/work-pool/kubernetes/queue/default')
    await page.getByRole('table', { name: 'Runs' }).getByText('ingest-orders').first().waitFor()
    await page.getByRole('tab', { name: 'Upcoming' }).click()
    await page.getByRole('table', { name: 'Runs' }).getByText('Scheduled').first().waitFor()
    const { id } = await queue('kubernetes', 'default')
    await page.goto(`/work-queues/work-queue/${id}`)
    await page.waitForURL('**/work-pools/work-pool/kubernetes/queue/default')
  })

  test('pauses, edits and deletes a queue', async () => {
    await open.call('POST', '/work_pools/kubernetes/queues', { name: 'slow' })
    await page.goto('/work-pools/work-pool/kubernetes/queue/slow')
    await page.getByRole('button', { name: 'Pause' }).click()
    await toast('slow paused').waitFor()
    expect((await queue('kubernetes', 'slow')).is_paused).toBe(true)
    await page.goto('/work-pools/work-pool/kubernetes?tab=queues')
    await page.getByRole('switch', { name: 'slow enabled' }).click()
    await toast('slow resumed').waitFor()
    expect((await queue('kubernetes', 'slow')).is_paused).toBe(false)

    await page.goto('/work-pools/work-pool/kubernetes/queue/slow/edit')
    await dialog().getByRole('textbox', { name: 'Name *' }).fill('slower')
    await dialog().getByRole('textbox', { name: 'Concurrency limit' }).fill('1')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await toast('Saved slower').waitFor()
    await page.waitForURL('**/queue/slower')
    expect((await queue('kubernetes', 'slower')).concurrency_limit).toBe(1)

    await more('slower', 'Delete…')
    await page.getByRole('dialog', { name: 'Delete slower?' }).getByRole('button', { name: 'Delete queue' }).click()
    await toast('Deleted slower').waitFor()
    await expect(queue('kubernetes', 'slower')).rejects.toThrow('404')
  })
})

describe('workers', () => {
  test('are listed with their last heartbeat, and an offline worker is deleted', async () => {
    await page.goto('/work-pools/work-pool/kubernetes?tab=workers')
    await row('Workers', 'k8s-worker-a').getByText('Online').waitFor()
    await row('Workers', 'k8s-worker-a')
      .getByText(/ago|just now/)
      .waitFor()
    await eventually(() => page.getByRole('button', { name: /^Delete k8s/ }).count()).toBe(0)
    await eventually(() => page.getByText('prefect worker start --pool kubernetes').count()).toBe(1)

    await page.goto('/work-pools/work-pool/gpu?tab=workers')
    await row('Workers', 'gpu-box-1').getByText('Offline').waitFor()
    await page.getByRole('button', { name: 'Delete gpu-box-1' }).click()
    await dialog().getByRole('button', { name: 'Delete worker' }).click()
    await toast('Deleted gpu-box-1').waitFor()
    expect(await open.call('POST', '/work_pools/gpu/workers/filter', {})).toEqual([])
    await page.getByText('No workers yet').waitFor()
  })
})
