import { expect, test } from 'vitest'
import { startEventLoopProbe } from './event-loop-probe.ts'
import { eachDialect, type TestApp } from './setup.ts'

/** The worst pattern for the worst names: each of their characters begins a match of 500. `%` twice keeps SQLite from a faster search. */
const name = `b${'a'.repeat(999)}`
const like_ = `b%${'a'.repeat(500)}b`
const runCount = 100

async function createMany(app: TestApp): Promise<void> {
  const { id: flow_id } = (await app.call('POST', '/flows/', { name: 'flow' })).body
  await app.call('POST', '/deployments/', { flow_id, name })
  const numbers = Array.from({ length: runCount }, (_, n) => n)
  await Promise.all(numbers.map((n) => app.call('POST', '/flow_runs/', { flow_id, name: name.slice(n % 8) })))
  await Promise.all(numbers.map((n) => app.call('POST', '/task_runs/', { flow_run_id: null, task_key: 'k', dynamic_key: String(n), name })))
}

const filters = {
  flow_runs: { flow_runs: { name: { like_ } } },
  alternatives: { flow_runs: { operator: 'or_', name: { like_ } } },
  task_runs: { task_runs: { name: { like_ } } },
}

const searches: readonly [path: string, body: object][] = [
  ['/flow_runs/filter', filters.flow_runs],
  ['/flow_runs/filter', filters.alternatives],
  ['/flow_runs/filter', { ...filters.flow_runs, sort: 'START_TIME_ASC' }],
  ['/flow_runs/count', filters.flow_runs],
  ['/flow_runs/paginate', filters.flow_runs],
  [
    '/flow_runs/history',
    { ...filters.flow_runs, history_start: '2029-12-31T00:00:00Z', history_end: '2030-01-02T00:00:00Z', history_interval_seconds: 3600 },
  ],
  ['/flow_runs/lateness', filters.flow_runs],
  ['/ui/flow_runs/history', filters.flow_runs],
  ['/flow_runs/bulk_delete', filters.flow_runs],
  ['/flow_runs/bulk_delete', filters.alternatives],
  ['/flow_runs/bulk_set_state', { ...filters.flow_runs, state: { type: 'CANCELLED' } }],
  ['/task_runs/filter', filters.task_runs],
  ['/task_runs/filter', filters.flow_runs],
  ['/task_runs/count', filters.task_runs],
  ['/task_runs/paginate', filters.task_runs],
  [
    '/task_runs/history',
    { ...filters.task_runs, history_start: '2029-12-31T00:00:00Z', history_end: '2030-01-02T00:00:00Z', history_interval_seconds: 3600 },
  ],
  ['/ui/task_runs/count', filters.task_runs],
  ['/ui/task_runs/dashboard/counts', { task_runs: { ...filters.task_runs.task_runs, start_time: { after_: '2029-12-31T00:00:00Z' } } }],
  ['/flows/filter', filters.flow_runs],
  ['/flows/count', filters.flow_runs],
  ['/flows/paginate', filters.flow_runs],
  ['/deployments/filter', filters.flow_runs],
  ['/deployments/count', filters.flow_runs],
  ['/deployments/paginate', filters.flow_runs],
  ['/artifacts/filter', filters.flow_runs],
  ['/artifacts/latest/count', filters.flow_runs],
]

/** Milliseconds of the longest turn of the event loop during a request, and its status. */
async function measure(app: TestApp, path: string, body: object): Promise<{ turn: number; status: number }> {
  const probe = startEventLoopProbe()
  const { status } = await app.call('POST', path, body)
  await new Promise(setImmediate)
  return { turn: probe.stop(), status }
}

eachDialect('searches for a part of a name', (setup) => {
  test('do not keep other requests waiting', { timeout: 120_000 }, async () => {
    const app = await setup()
    await createMany(app)
    // The first ones also start the thread and prepare statements.
    for (const [path, body] of searches) await app.call('POST', path, JSON.parse(JSON.stringify(body).replaceAll(like_, 'c')))
    const slow: object[] = []
    for (const [path, body] of searches) {
      const { turn, status } = await measure(app, path, body)
      if (turn > 150 || status >= 300) slow.push({ path, body, turn, status })
    }
    expect(slow).toEqual([])
  })

  test('change and delete what they find, whatever the criteria are combined by', async () => {
    const app = await setup()
    const { id: flow_id } = (await app.call('POST', '/flows/', { name: 'flow' })).body
    const ids = await Promise.all(
      ['a_1', 'a_2', 'b', 'c'].map(async (run) => (await app.call('POST', '/flow_runs/', { flow_id, name: run })).body.id),
    )
    const cancel = (flow_runs: object) => app.call('POST', '/flow_runs/bulk_set_state', { flow_runs, state: { type: 'CANCELLED' } })
    expect((await cancel({ name: { like_: 'a_' }, tags: { is_null_: true } })).body.results).toHaveLength(2)
    const remove = async (flow_runs: object) => (await app.call('POST', '/flow_runs/bulk_delete', { flow_runs })).body.deleted
    expect(await remove({ name: { like_: 'a_' }, id: { any_: [ids[1], ids[2]] } })).toEqual([ids[1]])
    expect(await remove({ operator: 'or_', name: { like_: 'b' }, id: { any_: [ids[0]] } })).toEqual([ids[0], ids[2]].sort())
    expect(await remove({ name: { like_: 'nobody' } })).toEqual([])
    await app.call('POST', '/deployments/', { flow_id, name: 'x_y' })
    expect((await app.call('POST', '/deployments/bulk_delete', { deployments: { name: { like_: '_' } } })).body.deleted).toHaveLength(1)
    expect((await app.call('POST', '/flows/bulk_delete', { flows: { name: { like_: 'FLO' } } })).body.deleted).toEqual([flow_id])
  })
})
