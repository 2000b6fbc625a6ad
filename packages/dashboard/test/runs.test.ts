import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closePage, newPage, type OpenPage } from './browser.ts'
import { type OpenMill, openMill } from './open-mill.ts'

let open: OpenMill
let page: OpenPage
beforeAll(async () => {
  open = await openMill()
  page = await newPage(open.browser, open.address)
})
afterAll(async () => {
  await closePage(page)
  await open.close()
})
beforeEach(() => expect(page.complaints.splice(0)).toEqual([]))

/** The rows of the table, without its head. */
const rows = () =>
  page
    .getByRole('table', { name: 'Runs' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
const row = (name: string) => rows().filter({ hasText: name })
const stateOf = async (id: string): Promise<string> => (await open.call('GET', `/flow_runs/${id}`)).state_name
const toast = (text: string | RegExp) => page.getByRole('region', { name: 'Messages' }).getByText(text)

/** Runs to do something to, by names of their own. */
const newRuns = (names: string[], state: object) =>
  Promise.all(
    names.map(async (name): Promise<string> => {
      const { id } = await open.call('POST', `/deployments/${open.mill.deployments['check-heartbeats']}/create_flow_run`, { name })
      await open.call('POST', `/flow_runs/${id}/set_state`, { state, force: true })
      return id
    }),
  )

const select = async (...names: string[]) => {
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check()
}
const bulk = (name: string) => page.getByRole('region', { name: 'Selected runs' }).getByRole('button', { name })

describe('home', () => {
  test('says why work is late, what fails and who waits', async () => {
    await page.goto('/')
    await page.waitForURL('**/dashboard')
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByText('No worker of gpu is online').waitFor()
    expect(await attention.getByText(/ConnectTimeout/).count()).toBeGreaterThan(0)
    expect(await attention.getByText('Waits for somebody to give it input').count()).toBe(1)
  })

  test('a bar leads to its runs', async () => {
    await page.goto('/dashboard')
    const bar = page.getByRole('list', { name: 'Runs by time' }).getByRole('link').nth(5)
    const [, count] = /: (\d+) runs? /.exec((await bar.getAttribute('aria-label')) ?? '') ?? []
    await bar.click()
    await page.waitForURL(/\/runs\?since=.*&until=/)
    await page.getByRole('status').getByText(count!, { exact: true }).waitFor()
    expect(await rows().count()).toBe(Number(count))
  })

  test('what runs shows how far it is', async () => {
    await page.goto('/dashboard')
    const running = page.getByRole('region', { name: 'Running now' })
    await running.getByText(/41 of 46 tasks/).waitFor()
    expect(await running.getByRole('progressbar').first().getAttribute('aria-valuemax')).toMatch(/^\d+$/)
  })
})

describe('the list of runs', () => {
  test('shows eighteen and more on a screen of 900 px, and only those exist', async () => {
    await page.goto('/runs')
    await rows().nth(20).getByRole('link').first().waitFor()
    const inSight = await page.evaluate(`[...document.querySelectorAll('[role=table] [role=row]')].filter((row) => {
      const { top, bottom } = row.getBoundingClientRect()
      return top > 0 && bottom <= 900 && row.querySelector('[role=cell]')
    }).length`)
    expect(inSight).toBeGreaterThanOrEqual(18)
    expect(await rows().count()).toBeLessThan(60)
    await page.getByRole('table', { name: 'Runs' }).hover()
    await page.mouse.wheel(0, 6000)
    await page.locator('[aria-rowindex="200"]').getByRole('link').first().waitFor()
  })

  test('filters by state, in the address, and back', async () => {
    await page.goto('/runs')
    await page.getByRole('button', { name: 'State' }).click()
    await page.getByRole('checkbox', { name: 'Late' }).check()
    await page.waitForURL('**/runs?state=Late')
    await page.keyboard.press('Escape')
    await page.getByRole('status').getByText('3', { exact: true }).waitFor()
    expect(await rows().count()).toBe(3)
    await page.getByRole('button', { name: 'Remove the filter State' }).click()
    await page.waitForURL(/\/runs$/)
  })

  test('filters by flow, name and tag', async () => {
    await page.goto('/runs')
    await page.getByRole('button', { name: 'Flow', exact: true }).click()
    await page.getByRole('textbox', { name: 'Narrow Flow' }).fill('train')
    await page.getByRole('checkbox', { name: 'train-forecast' }).check()
    await page.waitForURL(`**/runs?flow=${open.mill.flows['train-forecast']}`)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Tag' }).click()
    await page.getByRole('textbox', { name: 'A tag' }).fill('gpu')
    await page.keyboard.press('Enter')
    await page.waitForURL('**tag=gpu')
    await page.keyboard.press('Escape')
    const { name } = await open.call('GET', `/flow_runs/${open.mill.lateRun}`)
    await page.keyboard.press('/')
    await page.keyboard.type(name)
    await page.waitForURL(`**name=${name}`)
    await row(name).waitFor()
    expect(await rows().count()).toBe(1)
  })

  test('upcoming runs are shown when they are asked for', async () => {
    await page.goto('/runs')
    await page.getByRole('link', { name: /upcoming/ }).click()
    await page.waitForURL('**/runs?upcoming=show')
    await rows().filter({ hasText: 'Scheduled' }).first().waitFor()
  })

  test('a search is saved for everybody, found again and deleted', async () => {
    await page.goto('/runs?state=Failed&tag=prod')
    await page.getByRole('button', { name: 'Saved searches' }).click()
    await page.getByRole('menuitem', { name: 'Save this search…' }).click()
    await page.getByRole('textbox', { name: 'Name' }).last().fill('Broken in production')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await toast('Saved as “Broken in production”').waitFor()
    expect(await open.call('POST', '/saved_searches/filter', {})).toMatchObject([{ name: 'Broken in production' }])

    await page.goto('/runs')
    await page.getByRole('button', { name: 'Saved searches' }).click()
    await page.getByRole('menuitem', { name: 'Broken in production' }).click()
    await page.waitForURL('**/runs?state=Failed&tag=prod')
    await page.getByRole('button', { name: 'Saved searches' }).click()
    await page.getByRole('menuitem', { name: /^Delete/ }).click()
    await toast('Deleted “Broken in production”').waitFor()
    expect(await open.call('POST', '/saved_searches/filter', {})).toEqual([])
  })

  test('what happens elsewhere appears by itself', async () => {
    await page.goto('/runs')
    await page.getByText('Live', { exact: true }).waitFor()
    const [id] = await newRuns(['sudden-otter'], { type: 'RUNNING' })
    await row('sudden-otter').getByText('Running').waitFor()
    await open.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED' }, force: true })
    await row('sudden-otter').getByText('Completed').waitFor()
  })
})

describe('many runs at once', () => {
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
    await toast('1 run is scheduled again').waitFor()
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

  test('that the server refuses to change are told, with its reason', async () => {
    await newRuns(['long-done'], { type: 'COMPLETED' })
    await page.goto('/runs?name=long-done')
    await select('long-done')
    await bulk('Cancel').click()
    await toast('1 run was not changed').waitFor()
  })

  test('are deleted, unless that is taken back', async () => {
    const [id] = await newRuns(['delete-me'], { type: 'COMPLETED' })
    await page.goto('/runs?name=delete-me')
    await select('delete-me')
    await bulk('Delete').click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await toast('Nothing was deleted').waitFor()
    expect(await stateOf(id!)).toBe('Completed')

    await select('delete-me')
    await bulk('Delete').click()
    await toast('Deleted 1 run').waitFor()
    await expect(open.call('GET', `/flow_runs/${id}`)).rejects.toThrow('404')
  })
})
