import { describe, expect, test } from 'vitest'
import type { OpenPage } from './browser.ts'
import { eventually } from './eventually.ts'
import type { OpenSeededServer } from './open-server.ts'
import { openSeededTestServer } from './test-server.ts'
import { withPage } from './with-page.ts'

const slow = { timeout: 120_000 }
let open: OpenSeededServer
let page: OpenPage
withPage(openSeededTestServer, (opened, first) => {
  open = opened
  page = first
})

const entries = () => page.getByRole('list', { name: 'History' }).getByRole('listitem')

describe('the state history', () => {
  test('shows states with durations and messages', slow, async () => {
    await page.goto(`/runs/flow-run/${open.seed.failedRun}`)
    await page.getByRole('tab', { name: /^States/ }).click()
    await page.waitForURL('**?tab=states')
    await entries().getByText('for 38 s').waitFor()
    expect(
      await entries()
        .getByText(/ConnectTimeout/)
        .count(),
    ).toBe(1)
    const states = await open.call('GET', `/flow_run_states/?flow_run_id=${open.seed.failedRun}`)
    await eventually(() => entries().count()).toBe(states.length)
  })

  test('shows rejected transitions with rule, reason and inputs', slow, async () => {
    const id = open.seed.runningRun
    await open.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'PENDING' } })
    const verdicts = await open.call('GET', `/flow_runs/${id}/verdicts`)
    const verdict = verdicts.at(-1)
    expect(verdict).toBeDefined()
    await page.goto(`/runs/flow-run/${id}?tab=states`)
    const entry = entries().filter({ hasText: verdict.rule })
    await entry.getByText(verdict.reason).waitFor()
    await entry.getByText('Running → Pending').waitFor()
    for (const name of Object.keys(verdict.facts ?? {}))
      await eventually(() => entry.getByText(name.replaceAll('_', ' '), { exact: true }).count()).toBe(1)
    // Newer than every state, so listed first.
    await eventually(() => entries().first().innerText()).toContain(verdict.reason)
  })

  test('shows states, rejections and a retry of a task run', slow, async () => {
    const { id } = await open.call('POST', '/task_runs/', {
      flow_run_id: open.seed.runningRun,
      task_key: 'flaky',
      dynamic_key: 'flaky-1',
      name: 'flaky-1',
      empirical_policy: { retries: 2, retry_delay: 300 },
    })
    await open.call('POST', `/task_runs/${id}/set_state`, { state: { type: 'RUNNING' } })
    const result = await open.call('POST', `/task_runs/${id}/set_state`, { state: { type: 'FAILED', message: 'no luck' } })
    expect(result.status).toBe('REJECT')
    const [verdict] = await open.call('GET', `/task_runs/${id}/verdicts`)
    await page.goto(`/runs/task-run/${id}?tab=states`)
    await entries().getByText('AwaitingRetry').waitFor()
    const entry = entries().filter({ hasText: verdict.rule })
    await entry.getByText('Rejected').waitFor()
    await entry.getByText('Running → Failed').waitFor()
  })
})

describe('a task run', () => {
  test('shows logs, inputs and details and links to the graph', slow, async () => {
    const source = await open.call('GET', `/task_runs/${open.seed.taskRun}`)
    const { id } = await open.call('POST', '/task_runs/', {
      flow_run_id: open.seed.runningRun,
      task_key: 'sum',
      dynamic_key: 'sum-1',
      name: 'sum-1',
      task_inputs: { rows: [{ input_type: 'task_run', id: source.id }], limit: [{ input_type: 'parameter', name: 'limit' }] },
    })
    const timestamp = new Date().toISOString()
    await open.call('POST', '/logs/', [
      { name: 'task', level: 20, message: 'summing up', timestamp, task_run_id: id, flow_run_id: open.seed.runningRun },
    ])
    await page.goto(`/runs/task-run/${id}`)
    await page.getByRole('log').getByText('summing up').waitFor()
    await page.getByRole('tab', { name: /^Inputs/ }).click()
    await page.getByRole('region', { name: 'Inputs' }).getByRole('link', { name: source.name }).waitFor()
    await page.getByText('parameter limit').waitFor()
    await page.getByRole('tab', { name: 'Details' }).click()
    await page.getByRole('region', { name: 'Task run JSON' }).getByText('"sum-1"').first().waitFor()
    await page.getByRole('link', { name: 'Show in graph' }).click()
    await page.waitForURL(`**/runs/flow-run/${open.seed.runningRun}?tab=graph&node=${id}`)
    await page.getByRole('region', { name: 'Details of sum-1' }).waitFor()
  })

  test('shows its artifacts', slow, async () => {
    await open.call('POST', '/artifacts/', { key: 'of-the-task', type: 'progress', data: 30, task_run_id: open.seed.taskRun })
    await page.goto(`/runs/task-run/${open.seed.taskRun}?tab=artifacts`)
    await page.getByRole('link', { name: 'of-the-task' }).waitFor()
    await eventually(() => page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('30')
  })
})
