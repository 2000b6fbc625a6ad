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

/** Rows of the table without the header. */
const rows = () =>
  page
    .getByRole('table', { name: 'Runs' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
const row = (name: string) => rows().filter({ hasText: name })
const stateOf = async (id: string): Promise<string> => (await open.call('GET', `/flow_runs/${id}`)).state_name
const toast = (text: string | RegExp) => page.getByRole('region', { name: 'Notifications' }).getByText(text)

/** Creates runs with the given names. */
const newRuns = (names: string[], state: object) =>
  Promise.all(
    names.map(async (name): Promise<string> => {
      const { id } = await open.call('POST', `/deployments/${open.seed.deployments['check-heartbeats']}/create_flow_run`, { name })
      await open.call('POST', `/flow_runs/${id}/set_state`, { state, force: true })
      return id
    }),
  )

const select = async (...names: string[]) => {
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check()
}
const bulk = (name: string) => page.getByRole('region', { name: 'Selected runs' }).getByRole('button', { name })

describe('home', () => {
  test('explains late, failing and waiting runs', async () => {
    await page.goto('/')
    await page.waitForURL('**/dashboard')
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByText('No worker of gpu is online').waitFor()
    await eventually(() => attention.getByText(/ConnectTimeout/).count()).toBeGreaterThan(0)
    await eventually(() => attention.getByText('Waiting for input').count()).toBe(1)
  })

  test('links a bar to its runs', async () => {
    await page.goto('/dashboard')
    const bar = page.getByRole('list', { name: 'Runs by time' }).getByRole('link').nth(5)
    await bar.waitFor()
    // In one step, because the bars move with the clock.
    const label = await bar.evaluate((link) => {
      ;(link as unknown as { click(): void }).click()
      return link.getAttribute('aria-label') ?? ''
    })
    const [, count] = /: (\d+) runs? /.exec(label) ?? []
    await page.waitForURL(/\/runs\?since=.*&until=/)
    await page.getByRole('status').getByText(count!, { exact: true }).waitFor()
    await eventually(() => rows().count()).toBe(Number(count))
  })

  test('shows the progress of running runs', async () => {
    await page.goto('/dashboard')
    const running = page.getByRole('region', { name: 'Running now' })
    await running.getByText(/41 of 46 tasks/).waitFor()
    await eventually(() => running.getByRole('progressbar').first().getAttribute('aria-valuemax')).toMatch(/^\d+$/)
  })
})

describe('the run list', () => {
  test('shows at least 18 rows on 900 px and renders only visible rows', async () => {
    await page.goto('/runs')
    await rows().nth(20).getByRole('link').first().waitFor()
    const inSight = await page.evaluate(`[...document.querySelectorAll('[role=table] [role=row]')].filter((row) => {
      const { top, bottom } = row.getBoundingClientRect()
      return top > 0 && bottom <= 900 && row.querySelector('[role=cell]')
    }).length`)
    expect(inSight).toBeGreaterThanOrEqual(18)
    await eventually(() => rows().count()).toBeLessThan(60)
    await page.getByRole('table', { name: 'Runs' }).hover()
    await page.mouse.wheel(0, 6000)
    await page.locator('[aria-rowindex="200"]').getByRole('link').first().waitFor()
  })

  test('keeps the state filter in the URL', async () => {
    await page.goto('/runs')
    await page.getByRole('button', { name: 'State', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Late', exact: true }).check()
    await page.waitForURL('**/runs?state=Late')
    await page.keyboard.press('Escape')
    await page.getByRole('status').getByText('3', { exact: true }).waitFor()
    await eventually(() => rows().count()).toBe(3)
    await page.getByRole('button', { name: 'Remove filter State' }).click()
    await page.waitForURL(/\/runs$/)
  })

  test('filters by flow, name and tag', async () => {
    await page.goto('/runs')
    await page.getByRole('button', { name: 'Flow', exact: true }).click()
    await page.getByRole('textbox', { name: 'Search Flow' }).fill('train')
    await page.getByRole('checkbox', { name: 'train-forecast', exact: true }).check()
    await page.waitForURL(`**/runs?flow=${open.seed.flows['train-forecast']}`)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    await page.getByRole('textbox', { name: 'Tag' }).fill('gpu')
    await page.keyboard.press('Enter')
    await page.waitForURL('**tag=gpu')
    await page.keyboard.press('Escape')
    const { name } = await open.call('GET', `/flow_runs/${open.seed.lateRun}`)
    await page.keyboard.press('/')
    await page.keyboard.type(name)
    await page.waitForURL(`**name=${name}`)
    await row(name).waitFor()
    await eventually(() => rows().count()).toBe(1)
  })

  test('filters by deployment, pool and queue', async () => {
    await page.goto('/runs')
    const pick = async (label: string, option: string) => {
      await page.getByRole('button', { name: label, exact: true }).click()
      await page.getByRole('checkbox', { name: option, exact: true }).check()
      await page.keyboard.press('Escape')
    }
    const counted = async (filter: object) => {
      const before_ = new Date(Date.now() + 60_000).toISOString()
      const due = { expected_start_time: { before_ } }
      const count: number = await open.call('POST', '/flow_runs/count', {
        ...filter,
        flow_runs: { ...(filter as { flow_runs?: object }).flow_runs, ...due },
      })
      await page.getByRole('status').getByText(count.toLocaleString('en'), { exact: true }).waitFor()
      return count
    }
    await pick('Pool', 'process')
    await page.waitForURL('**/runs?pool=process')
    const ofPool = await counted({ work_pools: { name: { any_: ['process'] } } })
    await pick('Queue', 'default')
    await page.waitForURL('**/runs?pool=process&queue=default')
    await counted({ work_pools: { name: { any_: ['process'] } }, work_pool_queues: { name: { any_: ['default'] } } })
    const deployment = open.seed.deployments['render-reports']!
    await pick('Deployment', 'two-hourly')
    await page.waitForURL(`**deployment=${deployment}*`)
    const ofOne = await counted({
      work_pools: { name: { any_: ['process'] } },
      work_pool_queues: { name: { any_: ['default'] } },
      flow_runs: { deployment_id: { any_: [deployment] } },
    })
    expect([ofOne > 0, ofOne < ofPool]).toEqual([true, true])
  })

  test('keeps the time filter in the URL', async () => {
    await page.goto('/runs')
    await page.getByRole('button', { name: 'Time', exact: true }).click()
    await page.getByRole('menuitemradio', { name: 'Last 6 hours' }).click()
    await page.waitForURL('**/runs?since=6h')
    const shown = async () => Number((await page.getByRole('status').first().innerText()).replace(/\D/g, ''))
    const all: number = await open.call('POST', '/flow_runs/count', {})
    await eventually(shown).toBeLessThan(all / 2)
    const after_ = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 6 * 3_600_000).toISOString()
    // The minute can change between the two requests.
    expect(
      Math.abs((await shown()) - (await open.call('POST', '/flow_runs/count', { flow_runs: { expected_start_time: { after_ } } }))),
    ).toBeLessThan(4)
    await page.reload()
    await page.getByText('Last 6 hours', { exact: true }).waitFor()
  })

  test('filters by parameters of the entered type', async () => {
    await page.goto('/runs')
    const add = async (name: string, value: string) => {
      await page.getByRole('button', { name: /^Parameter/ }).click()
      await page.getByRole('textbox', { name: 'Parameter name' }).fill(name)
      await page.getByRole('textbox', { name: 'Parameter value' }).fill(value)
      await page.keyboard.press('Enter')
      await page.keyboard.press('Escape')
    }
    await add('region', 'eu')
    await page.waitForURL('**/runs?parameter=region%3Deu')
    await add('batch_size', '500')
    await page.waitForURL('**&parameter=batch_size%3D500')
    const matches_ = { region: 'eu', batch_size: 500 }
    const before_ = new Date(Date.now() + 60_000).toISOString()
    const body = { flow_runs: { parameters: { matches_ }, expected_start_time: { before_ } } }
    const found: { flow_id: string; parameters: object }[] = await open.call('POST', '/flow_runs/filter', body)
    expect(found.length).toBeGreaterThan(20)
    for (const run of found) expect(run.parameters).toMatchObject(matches_)
    await page.getByRole('status').getByText(String(found.length), { exact: true }).waitFor()

    await page.goto('/runs?parameter=batch_size%3D%22500%22')
    await page.getByText('No results').waitFor()
    await page.getByRole('button', { name: 'Remove filter Parameter' }).click()
    await page.waitForURL(/\/runs$/)
  })

  test('shows upcoming runs on request', async () => {
    await page.goto('/runs')
    await page.getByRole('link', { name: /upcoming/ }).click()
    await page.waitForURL('**/runs?upcoming=show')
    await rows().filter({ hasText: 'Scheduled' }).first().waitFor()
  })

  test('saves, applies, renames and deletes a search', async () => {
    await page.goto('/runs?state=Failed&tag=prod')
    await page.getByRole('button', { name: 'Saved searches' }).click()
    await page.getByRole('menuitem', { name: 'Save search…' }).click()
    await page.getByRole('textbox', { name: 'Name' }).last().fill('Broken in production')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await toast('Saved as “Broken in production”').waitFor()
    expect(await open.call('POST', '/saved_searches/filter', {})).toMatchObject([{ name: 'Broken in production' }])

    await page.goto('/runs')
    await page.getByRole('button', { name: 'Saved searches' }).click()
    await page.getByRole('menuitem', { name: 'Broken in production' }).click()
    await page.waitForURL('**/runs?state=Failed&tag=prod')
    await page.getByRole('button', { name: 'Saved searches' }).click()
    await page.getByRole('menuitem', { name: /^Rename/ }).click()
    await page.getByRole('textbox', { name: 'Name' }).last().fill('Broken')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await toast('“Broken in production” is now “Broken”').waitFor()
    expect(await open.call('POST', '/saved_searches/filter', {})).toMatchObject([{ name: 'Broken' }])
    await page.getByRole('button', { name: 'Saved searches' }).getByText('Broken', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Saved searches' }).click()
    await page.getByRole('menuitem', { name: /^Delete/ }).click()
    await toast('Deleted “Broken”').waitFor()
    expect(await open.call('POST', '/saved_searches/filter', {})).toEqual([])
  })

  test('shows changes from elsewhere without a reload', async () => {
    await page.goto('/runs')
    await page.getByText('Live', { exact: true }).waitFor()
    const [id] = await newRuns(['sudden-otter'], { type: 'RUNNING' })
    await row('sudden-otter').getByText('Running').waitFor()
    await open.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED' }, force: true })
    await row('sudden-otter').getByText('Completed').waitFor()
  })
})

describe('selected runs', () => {
  test('are cancelled', async () => {
    const ids = await newRuns(['cancel-me', 'cancel-me-too'], { type: 'RUNNING' })
    await page.goto('/runs')
    await select('cancel-me', 'cancel-me-too')
    await bulk('Cancel').click()
    await toast('2 runs are being cancelled').waitFor()
    for (const id of ids) expect(await stateOf(id!)).toBe('Cancelling')
  })

  test('are retried', async () => {
    const [id] = await newRuns(['retry-me'], { type: 'FAILED' })
    await page.goto('/runs?name=retry-me')
    await select('retry-me')
    await bulk('Retry').click()
    await toast('1 run is scheduled for retry').waitFor()
    expect(await stateOf(id!)).toBe('AwaitingRetry')
  })

  test('are set to a state', async () => {
    const [id] = await newRuns(['settle-me'], { type: 'RUNNING' })
    await page.goto('/runs?name=settle-me')
    await select('settle-me')
    await bulk('Set state…').click()
    await page.getByRole('combobox', { name: 'State' }).selectOption('Completed')
    await page.getByRole('textbox', { name: 'Message' }).fill('done by hand')
    await page.getByRole('dialog').getByRole('button', { name: 'Set state' }).click()
    await toast('1 run is set to Completed').waitFor()
    expect((await open.call('GET', `/flow_runs/${id}`)).state).toMatchObject({ type: 'COMPLETED', message: 'done by hand' })
  })

  test('include all matching runs beyond the loaded rows', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `crowd-${index}`)
    const ids = await newRuns(names, { type: 'RUNNING' })
    // Filters of several resources: the selection must contain exactly their result.
    await page.goto(`/runs?name=crowd-&pool=process&queue=default&flow=${open.seed.flows['check-heartbeats']}`)
    await page
      .getByRole('checkbox', { name: /^Select crowd-/ })
      .first()
      .check()
    await bulk('Select all 120').click()
    await page.getByRole('region', { name: 'Selected runs' }).getByText('120 runs').waitFor()
    await bulk('Cancel').click()
    await toast('120 runs are being cancelled').waitFor()
    const left = await open.call('POST', '/flow_runs/count', { flow_runs: { id: { any_: ids }, state: { type: { not_any_: ['CANCELLING'] } } } })
    expect(left).toBe(0)
  })

  test('are reported as rejected with the reason', async () => {
    await newRuns(['long-done'], { type: 'COMPLETED' })
    await page.goto('/runs?name=long-done')
    await select('long-done')
    await bulk('Cancel').click()
    await toast('1 run was rejected').waitFor()
  })

  // The last test of the file: the fake clock stays installed.
  test('are deleted when the time to undo is over', async () => {
    const [id] = await newRuns(['delete-me'], { type: 'COMPLETED' })
    await page.clock.install()
    await page.goto('/runs?name=delete-me')
    await select('delete-me')
    await bulk('Delete').click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await toast('Deletion undone').waitFor()
    expect(await stateOf(id!)).toBe('Completed')

    await select('delete-me')
    await bulk('Delete').click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.clock.fastForward('00:08')
    await toast('Deleted 1 run').waitFor()
    await expect(open.call('GET', `/flow_runs/${id}`)).rejects.toThrow('404')
  })
})
