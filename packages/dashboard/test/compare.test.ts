import { test } from 'vitest'
import type { OpenPage } from './browser.ts'
import { eventually } from './eventually.ts'
import type { OpenSeededServer } from './open-server.ts'
import { openSeededTestServer } from './test-server.ts'
import { withPage } from './with-page.ts'

let open: OpenSeededServer
let page: OpenPage
let slow: string
let quick: string
withPage(openSeededTestServer, async (opened, first) => {
  open = opened
  page = first
  quick = await newRun('quick-one', { region: 'eu', size: 1, options: { full: false } }, 'COMPLETED', ['extract', 'load'])
  slow = await newRun('slow-one', { region: 'eu', size: 2, options: { full: false }, extra: true }, 'FAILED', ['extract', 'check'])
})

async function newRun(name: string, parameters: object, type: string, tasks: string[]): Promise<string> {
  const { id } = await open.call('POST', '/flow_runs/', { name, flow_id: open.seed.flows['ingest-orders'], parameters, tags: [name] })
  const setState = (noun: string, run: string, state: object) => open.call('POST', `/${noun}/${run}/set_state`, { state, force: true })
  await setState('flow_runs', id, { type: 'RUNNING' })
  for (const task_key of tasks) {
    const task = await open.call('POST', '/task_runs/', { flow_run_id: id, task_key, dynamic_key: '0', name: `${task_key}-0` })
    await setState('task_runs', task.id, { type: 'RUNNING' })
    await setState('task_runs', task.id, { type: 'COMPLETED' })
  }
  await setState('flow_runs', id, { type, message: `${name} ended` })
  return id
}

const panel = (name: string) => page.getByRole('region', { name, exact: true })
const row = (of: string, name: string) =>
  panel(of)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name }) })

test('compares parameters, tasks and states of two selected runs', async () => {
  await page.goto('/runs?name=-one')
  for (const name of ['quick-one', 'slow-one']) await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check()
  await page.getByRole('region', { name: 'Selected runs' }).getByRole('link', { name: 'Compare' }).click()
  await page.waitForURL('**/runs/compare?*')

  await page.goto(`/runs/compare?a=${quick}&b=${slow}`)
  const [first, second] = await Promise.all([quick, slow].map((id) => open.call('GET', `/flow_runs/${id}`)))
  await row('Parameters', 'size').waitFor()
  await eventually(() => row('Parameters', 'size').getByRole('cell').allInnerTexts()).toEqual([
    String(first.parameters.size),
    String(second.parameters.size),
  ])
  await eventually(() => row('Parameters', 'extra').getByRole('cell').allInnerTexts()).toEqual(['not set', 'true'])
  await eventually(() => row('Parameters', 'region').count()).toBe(0)
  await panel('Parameters').getByRole('switch', { name: 'Show unchanged' }).click()
  await eventually(() => row('Parameters', 'options.full').getByRole('cell').allInnerTexts()).toEqual(['false', 'false'])

  await eventually(() => row('Runs', 'State').getByRole('cell').allInnerTexts()).toEqual([first.state_name, second.state_name, ''])
  await row('Tasks', 'load').getByText('not run').waitFor()
  await eventually(() => row('Tasks', 'check').getByRole('cell').first().innerText()).toBe('not run')
  await eventually(() => row('Tasks', 'extract').getByText('not run').count()).toBe(0)
  const states = panel('States').getByRole('list', { name: 'States of slow-one' }).getByRole('listitem')
  const kept: unknown[] = await open.call('GET', `/flow_run_states/?flow_run_id=${slow}`)
  await states.last().getByText('slow-one ended').waitFor()
  await eventually(() => states.count()).toBe(kept.length)
})

test('swaps the two runs', async () => {
  await page.goto(`/runs/compare?a=${quick}&b=${slow}`)
  await page.getByRole('link', { name: 'Swap' }).click()
  await page.waitForURL(`**/runs/compare?a=${slow}&b=${quick}`)
  await row('Parameters', 'extra').waitFor()
  await eventually(() => row('Parameters', 'extra').getByRole('cell').allInnerTexts()).toEqual(['true', 'not set'])
})

test('explains how to select two runs', async () => {
  await page.goto('/runs/compare')
  await page.getByText('Select two runs in the run list, then select Compare.').waitFor()
})
