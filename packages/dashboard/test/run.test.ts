import { text } from 'node:stream/consumers'
import type { Response } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { closePage, newPage, type OpenPage } from './browser.ts'
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

const tab = (name: RegExp) => page.getByRole('tab', { name })
const toast = (text: string | RegExp) => page.getByRole('region', { name: 'Notifications' }).getByText(text)
const pill = (text: string) => page.locator('[data-state]').getByText(text, { exact: true }).first()

const newRun = async (state: object): Promise<string> => {
  const { id } = await open.call('POST', `/deployments/${open.seed.deployments['check-heartbeats']}/create_flow_run`, { parameters: { n: 1 } })
  await open.call('POST', `/flow_runs/${id}/set_state`, { state, force: true })
  return id
}
const openRun = (id: string, search = '') => page.goto(`/runs/flow-run/${id}${search}`)
const stateOf = async (id: string): Promise<string> => (await open.call('GET', `/flow_runs/${id}`)).state_name

describe('logs', () => {
  test('are filtered by level and text, and the download has the filtered lines', async () => {
    await openRun(open.seed.failedRun)
    await page.getByText(/^420 lines|^200\+ lines|^400\+ lines/).waitFor()
    await page.getByRole('combobox', { name: 'Level' }).selectOption('Error and up')
    const errors = await open.call('POST', '/logs/filter', { logs: { flow_run_id: { any_: [open.seed.failedRun] }, level: { ge_: 40 } } })
    await page.getByText(new RegExp(`^${errors.length} lines?$`)).waitFor()
    await page.waitForURL('**?level=40')
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
    const downloaded = await text(await download.createReadStream())
    expect(downloaded.match(/ ERROR /g)).toHaveLength(errors.length)
    expect(downloaded).not.toContain('\u001b')
    expect(downloaded).not.toContain(' INFO ')

    await page.getByRole('combobox', { name: 'Level' }).selectOption('All levels')
    await page.getByRole('textbox', { name: 'Search logs' }).fill('nothing-says-this')
    await page.getByText('No results').waitFor()
    await page.waitForURL('**?text=nothing-says-this')
    await page.goto(`/runs/flow-run/${open.seed.failedRun}?text=deadlock&level=40`)
    await page.getByText(new RegExp(`^${errors.length} lines?$`)).waitFor()
  })

  test('have a link for each line', async () => {
    const id = await newRun({ type: 'COMPLETED' })
    const start = Date.parse('2026-01-01T00:00:00Z')
    const written = Array.from({ length: 900 }, (_, index) => ({
      name: 'flow',
      level: 20,
      message: `message ${index + 1}`,
      timestamp: new Date(start + index * 1000).toISOString(),
      flow_run_id: id,
    }))
    await open.call('POST', '/logs/', written)
    await openRun(id, '#L777')
    await page.getByRole('log').getByText('message 777', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Line 775' }).click()
    await page.waitForURL('**#L775')
  })

  test('show colours and links and escape markup', async () => {
    const id = await newRun({ type: 'COMPLETED' })
    const message = '\u001b[31mred\u001b[0m <img src=x onerror="document.title=\'hacked\'"> see https://example.com/a?b=1.'
    const timestamp = new Date().toISOString()
    await open.call('POST', '/logs/', [{ name: 'flow', level: 20, message, timestamp, flow_run_id: id }])
    await openRun(id, '#L1')
    const lines = page.getByRole('log')
    await lines.getByText('red', { exact: true }).waitFor()
    await eventually(() => lines.getByText('red', { exact: true }).getAttribute('style')).toContain('--failed')
    await eventually(() => lines.getByRole('link', { name: 'https://example.com/a?b=1' }).getAttribute('rel')).toContain('noopener')
    await eventually(() => lines.getByRole('link', { name: 'Line 1' }).getAttribute('href')).toBe(`/runs/flow-run/${id}#L1`)
    await eventually(() => lines.locator('img').count()).toBe(0)
    expect(await page.title()).not.toContain('hacked')
  })

  test('are followed while the run is running', async () => {
    const id = await newRun({ type: 'RUNNING' })
    await openRun(id)
    await page.getByText('No logs').waitFor()
    await open.call('POST', '/logs/', [{ name: 'flow', level: 20, message: 'here I am', timestamp: new Date().toISOString(), flow_run_id: id }])
    await page.getByRole('log').getByText('here I am').waitFor()
  })
})

describe('the tabs of a run', () => {
  test('list task runs by name and state with links', async () => {
    await openRun(open.seed.runningRun)
    await tab(/^Task runs\s*46/).click()
    await page.getByRole('button', { name: /^Failed/ }).click()
    const table = page.getByRole('table', { name: 'Task runs' })
    await table.getByRole('link', { name: 'clean-15' }).waitFor()
    await eventually(() => table.getByRole('link').count()).toBe(1)
    await page.waitForURL('**?tab=tasks&state=FAILED')
    await page.getByRole('textbox', { name: 'Filter by name' }).fill('clean')
    await page.waitForURL('**name=clean')
    await table.getByRole('link', { name: 'clean-15' }).click()
    await page.waitForURL('**/runs/task-run/**')
    // The URL changes before the page does, and the page of the flow run has a tab of the same name.
    await page.getByRole('heading', { name: 'clean-15' }).waitFor()
    await page.getByRole('tab', { name: /^States/ }).click()
    await page.getByText('ValueError: 3 rows without a key').waitFor()
  })

  test('show parameters and artifacts with links', async () => {
    await openRun(open.seed.runningRun, '?tab=parameters')
    await page.getByRole('region', { name: 'Parameters' }).getByText('"shipments"').waitFor()
    await tab(/^Artifacts/).click()
    await page.getByRole('link', { name: 'row-counts' }).click()
    await page.getByRole('region', { name: 'Table' }).getByText('81204').waitFor()
  })

  test('show the result', async () => {
    const id = await newRun({ type: 'RUNNING' })
    await open.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED', data: { rows: 12_345, kept: 'lake/9' } }, force: true })
    await openRun(id, '?tab=parameters')
    await page.getByRole('region', { name: 'Result', exact: true }).getByText('12345').waitFor()
    expect((await open.call('GET', `/flow_runs/${id}`)).state.data).toEqual({ rows: 12_345, kept: 'lake/9' })
  })
})

describe('actions', () => {
  test('resumes a paused run with form input and requires missing fields', async () => {
    await openRun(open.seed.pausedRun)
    await page.getByText('The quarterly report is rendered. Shall it go out?').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await eventually(() => page.getByText('Required', { exact: true }).count()).toBe(2)
    await page.getByRole('combobox', { name: 'Verdict' }).selectOption('hold')
    await page.getByRole('textbox', { name: 'Copies' }).fill('3')
    await page.getByRole('textbox', { name: 'Note' }).fill('next week')
    await page.getByRole('button', { name: 'Resume' }).click()
    await toast(/resumed$/).waitFor()
    await pill('Resuming').or(pill('Scheduled')).first().waitFor()
    const input = await open.call('GET', `/flow_runs/${open.seed.pausedRun}/input/approval-response`)
    expect(typeof input === 'string' ? JSON.parse(input) : input).toEqual({ verdict: 'hold', copies: 3, note: 'next week', notify: true })
  })

  test('validates lists and objects in the input of a paused run', async () => {
    const schema = {
      type: 'object',
      properties: {
        limit: { title: 'Limit', type: 'integer', minimum: 1, maximum: 9, position: 0 },
        who: { title: 'Who', allOf: [{ $ref: '#/definitions/Person' }], position: 1 },
        days: { title: 'Days', type: 'array', items: { type: 'string' }, default: ['mon'], position: 2 },
      },
      required: ['limit', 'who'],
      definitions: { Person: { type: 'object', properties: { name: { title: 'Name', type: 'string' } }, required: ['name'] } },
    }
    const id = await newRun({ type: 'RUNNING' })
    await open.call('POST', `/flow_runs/${id}/input`, { key: 'ask-schema', value: JSON.stringify(schema) })
    const keyset = { schema: 'ask-schema', response: 'ask-response' }
    const until = new Date(Date.now() + 3_600_000).toISOString()
    await open.call('POST', `/flow_runs/${id}/set_state`, {
      state: { type: 'PAUSED', name: 'Suspended', state_details: { pause_timeout: until, pause_reschedule: true, run_input_keyset: keyset } },
      force: true,
    })
    await openRun(id)
    await page.getByRole('textbox', { name: 'Limit' }).fill('12')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Required', { exact: true }).waitFor()
    expect(await stateOf(id)).toBe('Suspended')
    await page.getByRole('textbox', { name: 'Limit' }).fill('7')
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada')
    await page.getByRole('button', { name: 'Resume' }).click()
    await toast(/resumed$/).waitFor()
    const input = await open.call('GET', `/flow_runs/${id}/input/ask-response`)
    expect(typeof input === 'string' ? JSON.parse(input) : input).toEqual({ limit: 7, who: { name: 'Ada' }, days: ['mon'] })
  })

  test('cancels a run', async () => {
    const id = await newRun({ type: 'RUNNING' })
    await openRun(id)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await pill('Cancelling').waitFor()
    expect(await stateOf(id)).toBe('Cancelling')
  })

  test('retries a run', async () => {
    const id = await newRun({ type: 'FAILED', message: 'no' })
    await openRun(id)
    await page.getByRole('button', { name: 'Retry' }).click()
    await pill('AwaitingRetry').waitFor()
    expect(await stateOf(id)).toBe('AwaitingRetry')
  })

  test('suspends a run', async () => {
    const id = await newRun({ type: 'RUNNING' })
    await openRun(id)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Suspend' }).click()
    await pill('Suspended').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await toast(/resumed$/).waitFor()
    expect(await stateOf(id)).toBe('Resuming')
  })

  test('sets a state', async () => {
    const id = await newRun({ type: 'RUNNING' })
    await openRun(id)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Set state…' }).click()
    await page.getByRole('combobox', { name: 'State' }).selectOption('Failed')
    await page.getByRole('dialog').getByRole('button', { name: 'Set state' }).click()
    await pill('Failed').waitFor()
    expect(await stateOf(id)).toBe('Failed')
  })

  test('compares with the previous run', async () => {
    const before = await newRun({ type: 'RUNNING' })
    const id = await newRun({ type: 'RUNNING' })
    await openRun(id)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Compare with previous run' }).click()
    await page.waitForURL(`**/runs/compare?a=${before}&b=${id}`)
    const [first, second] = await Promise.all([before, id].map((each) => open.call('GET', `/flow_runs/${each}`)))
    expect(first.start_time < second.start_time).toBe(true)
  })

  test('copies a run as a curl command', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const id = await newRun({ type: 'COMPLETED' })
    await openRun(id)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
    await toast('curl command copied').waitFor()
    await eventually(() => page.evaluate('navigator.clipboard.readText()')).toContain(
      `${open.address}/api/deployments/${open.seed.deployments['check-heartbeats']}/create_flow_run`,
    )
  })

  test('deletes a run when the time to undo is over', async () => {
    const id = await newRun({ type: 'COMPLETED' })
    const timed = await newPage(open.browser, open.address)
    await timed.clock.install()
    await timed.goto(`/runs/flow-run/${id}`)
    const remove = async () => {
      await timed.getByRole('button', { name: 'More' }).click()
      await timed.getByRole('menuitem', { name: 'Delete' }).click()
    }
    await remove()
    await timed.getByRole('button', { name: 'Undo' }).click()
    await timed.waitForURL(`**/runs/flow-run/${id}`)
    expect(await stateOf(id)).toBe('Completed')
    await remove()
    await timed.waitForURL('**/runs')
    await timed.getByRole('button', { name: 'Undo' }).waitFor()
    await timed.clock.fastForward('00:08')
    await timed.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    await eventually(() => open.call('GET', `/flow_runs/${id}`).catch((error: Error) => error.message)).toContain('404')
    expect(timed.consoleErrors).toEqual([])
    await closePage(timed)
  })
})

test('logs no console error when a run was deleted elsewhere', async () => {
  const id = await newRun({ type: 'COMPLETED' })
  await openRun(id)
  await open.call('DELETE', `/flow_runs/${id}`)
  const isMissed = (response: Response) =>
    response.url().endsWith(`/api/flow_runs/${id}`) && response.headers()['preference-applied'] === 'not-found=ok'
  const missed = page.waitForResponse(isMissed)
  // Its event makes the page fetch all runs again, including the deleted one.
  await newRun({ type: 'COMPLETED' })
  expect((await missed).status()).toBe(200)
})

test('reports an unknown run with the request ID', async () => {
  await page.goto('/runs/flow-run/00000000-0000-4000-8000-000000000000')
  const alert = page.getByRole('alert')
  await alert.getByText('Flow run not found').waitFor()
  await eventually(() => alert.getByText(/Request/).count()).toBe(1)
})
