import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { stateTypes } from '@millrace/contracts/state.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ModelRun, matchesFilter } from './model/flow-run-filter.ts'
import { proofSize } from './proof-size.ts'
import { eachDialect, type TestApp } from './setup.ts'

const names = ['Alpha-1', 'alpha-2', 'beta', 'Gamma ray', 'x']
const tags = ['red', 'blue', 'green']
const versions = ['1', '2']
const keys = ['k1', 'k2', 'k3', 'k4']
const deployments = ['0198c1c2-aaaa-7bbb-8ccc-000000000001', '0198c1c2-aaaa-7bbb-8ccc-000000000002']
const hours = (n: number) => `2030-01-0${1 + Math.floor(n / 24)}T${String(n % 24).padStart(2, '0')}:00:00Z`
const unknownId = '00000000-0000-4000-8000-000000000000'

/** Forty varied runs, created through the API. */
async function seedRuns(app: TestApp): Promise<ModelRun[]> {
  const flow = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
  const runs: ModelRun[] = []
  for (let i = 0; i < 40; i += 1) {
    const type = stateTypes[i % stateTypes.length] as string
    const { body, status } = await app.call('POST', '/flow_runs/', {
      flow_id: flow,
      name: names[i % names.length],
      tags: tags.filter((_, bit) => (i >> bit) & 1),
      ...(i % 3 ? { flow_version: versions[i % 2] } : {}),
      ...(i < keys.length ? { idempotency_key: keys[i] } : {}),
      ...(i % 4 ? { deployment_id: deployments[i % 2] } : {}),
      ...(i % 5 ? { work_queue_name: `queue-${i % 3}` } : {}),
      state: { type, ...(i % 7 ? {} : { name: 'Special' }), state_details: type === 'SCHEDULED' ? { scheduled_time: hours(i) } : {} },
    })
    expect(status).toBe(201)
    runs.push(body)
    app.clock.advance(1800)
  }
  return runs
}

function filters(runs: ModelRun[]): fc.Arbitrary<FlowRunFilter> {
  const operator = fc.constantFrom('and_' as const, 'or_' as const)
  const some = <T>(...values: T[]) => fc.option(fc.uniqueArray(fc.constantFrom(...values), { maxLength: 3 }))
  const maybe = fc.option(fc.boolean())
  const moment = fc.option(fc.integer({ min: 0, max: 47 }).map(hours))
  const part = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 })
  const ids = [...runs.map(({ id }) => id), unknownId]
  return fc.record({
    operator,
    id: part(fc.record({ any_: some(...ids), not_any_: some(...ids) })),
    name: part(fc.record({ any_: some(...names), like_: fc.option(fc.constantFrom('ALPHA', 'a', '-', 'nothing', 'ray')) })),
    tags: part(fc.record({ operator, all_: some(...tags), any_: some(...tags), is_null_: maybe })),
    deployment_id: part(fc.record({ operator, any_: some(...deployments), is_null_: maybe })),
    work_queue_name: part(fc.record({ operator, any_: some('queue-0', 'queue-1'), is_null_: maybe })),
    state: part(
      fc.record({
        operator,
        type: fc.option(fc.record({ any_: some(...stateTypes), not_any_: some(...stateTypes) })),
        name: fc.option(fc.record({ any_: some('Special', 'Running'), not_any_: some('Special', 'Pending') })),
      }),
    ),
    flow_version: part(fc.record({ any_: some(...versions) })),
    start_time: part(fc.record({ before_: moment, after_: moment, is_null_: maybe })),
    end_time: part(fc.record({ before_: moment, after_: moment, is_null_: maybe })),
    expected_start_time: part(fc.record({ before_: moment, after_: moment })),
    next_scheduled_start_time: part(fc.record({ before_: moment, after_: moment })),
    idempotency_key: part(fc.record({ any_: some(...keys), not_any_: some(...keys) })),
  })
}

eachDialect('filters of flow runs', (setup, dialect) => {
  test('list and count the same runs as the model', async () => {
    const app = await setup()
    const runs = await seedRuns(app)
    await fc.assert(
      fc.asyncProperty(filters(runs), async (filter) => {
        const wanted = runs.filter((run) => matchesFilter(run, filter)).map(({ id }) => id)
        const { body, status } = await app.call('POST', '/flow_runs/filter', { flow_runs: filter, sort: 'ID_DESC' })
        expect(status).toBe(200)
        expect(body.map(({ id }: ModelRun) => id)).toEqual(wanted.toSorted().toReversed())
        const sorted = await app.call('POST', '/flow_runs/filter', { flow_runs: filter, sort: 'START_TIME_DESC', limit: 7, offset: 2 })
        const started = (run: ModelRun) => `${run.start_time ?? run.expected_start_time} ${run.id}`
        const inOrder = runs.filter(({ id }) => wanted.includes(id)).toSorted((a, b) => (started(a) < started(b) ? 1 : -1))
        expect(sorted.body.map(({ id }: ModelRun) => id)).toEqual(inOrder.slice(2, 9).map(({ id }) => id))
        expect((await app.call('POST', '/flow_runs/count', { flow_runs: filter })).body).toBe(wanted.length)
      }),
      { numRuns: dialect === 'sqlite' ? 200 : proofSize(60, 200) },
    )
  })
})
