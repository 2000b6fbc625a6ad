import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'
import { lifecycleEvents, newId, type Sent, shuffledBatches, start, stateEvent } from '../../../test/task-run-events.ts'
import { formatTime } from '../../lib/time.ts'
import { taskRunReconciler } from '../../services/task-run-reconciler.ts'

async function flowRun(app: TestApp, type = 'RUNNING'): Promise<string> {
  const flow = (await app.call('POST', '/flows/', { name: 'f' })).body
  return (await app.call('POST', '/flow_runs/', { flow_id: flow.id, state: { type } })).body.id
}

eachDialect('task runs from events', (setup, dialect) => {
  const outcome = async (app: TestApp, id: string) => {
    const {
      created: _,
      updated: _u,
      estimated_run_time: _r,
      estimated_start_time_delta: _d,
      ...run
    } = (await app.call('GET', `/task_runs/${id}`)).body
    const states = (await app.call('GET', `/task_run_states/?task_run_id=${id}`)).body
    return JSON.parse(JSON.stringify({ run, states }).replaceAll(id, 'ID'))
  }

  test('give the same result in any order and with duplicates', { timeout: 60_000 }, async () => {
    const app = await setup()
    const flow = await flowRun(app)
    await fc.assert(
      fc.asyncProperty(fc.nat(1_000_000), fc.boolean(), async (seed, loose) => {
        const [one, two] = [1, 2].map((n) => ({ id: newId(), flowRun: loose ? null : flow, key: `${seed} ${n} ${newId()}` })) as [never, never]
        const events = lifecycleEvents(one, seed)
        await app.call('POST', '/events', events)
        const same = events.map((event) => ({
          ...event,
          resource: { ...event.resource, 'prefect.resource.id': `prefect.task-run.${(two as { id: string }).id}` },
          id: newId(),
        }))
        for (const event of same)
          event.payload = { ...event.payload, task_run: { ...event.payload.task_run, task_key: (two as { key: string }).key } }
        for (const request of shuffledBatches(same, seed)) expect((await app.call('POST', '/events', request)).status).toBe(204)
        const [ordered, shuffled] = [await outcome(app, (one as { id: string }).id), await outcome(app, (two as { id: string }).id)]
        const plain = ({ run, states }: Awaited<ReturnType<typeof outcome>>) => ({
          run: { ...run, task_key: '', state_id: '', state: { ...run.state, id: '' } },
          states: states.map((state: object) => ({ ...state, id: '' })),
        })
        expect(plain(shuffled)).toEqual(plain(ordered))
      }),
      { numRuns: dialect === 'sqlite' ? 40 : 10, seed: 5 },
    )
  })

  test('are unchanged by a repeated event', async () => {
    const app = await setup()
    const run = { id: newId(), flowRun: await flowRun(app), key: 'k' }
    const running = stateEvent(run, 'RUNNING', start, { name: 'first' })
    await app.call('POST', '/events', [running])
    const before = (await app.call('GET', `/task_runs/${run.id}`)).body
    await app.call('POST', '/events', [{ ...running, payload: { ...running.payload, task_run: { ...running.payload.task_run, name: 'second' } } }])
    expect((await app.call('GET', `/task_runs/${run.id}`)).body).toMatchObject({ ...before, estimated_run_time: expect.any(Number) })
    expect(await app.eventNames()).toHaveLength(2 + 1)
  })

  test('keep data and inputs as sent', async () => {
    const app = await setup()
    const run = { id: newId(), flowRun: await flowRun(app), key: 'k' }
    const event = stateEvent(run, 'COMPLETED', start)
    const text = JSON.stringify([event])
      .replace('"data":null', '"data":{"big":12345678901234567890,"1":1.0,"type":"ref"}')
      .replace('"task_run":{', '"task_run":{"task_inputs":{"2":[{"input_type":"constant","type":"x"}],"1":[]},"total_run_time":0.0,')
    expect((await app.call('POST', '/events', text)).status).toBe(204)
    const raw = (await app.server.inject({ url: `/task_runs/${run.id}` })).body
    expect(raw).toContain('"data":{"big":12345678901234567890,"1":1.0,"type":"ref"}')
    expect(raw).toContain('"task_inputs":{"2":[{"input_type":"constant","type":"x"}],"1":[]}')
  })

  test('clear fields that are null and keep fields that are missing', async () => {
    const app = await setup()
    const run = { id: newId(), flowRun: await flowRun(app), key: 'k' }
    const at = formatTime(start)
    const fields = {
      expected_start_time: at,
      start_time: at,
      end_time: at,
      next_scheduled_start_time: at,
      cache_key: 'c',
      cache_expiration: at,
      task_version: 'v',
    }
    await app.call('POST', '/events', [stateEvent(run, 'FAILED', start, fields)])
    const cleared = { end_time: null, next_scheduled_start_time: null, cache_key: null, cache_expiration: null, task_version: null }
    await app.call('POST', '/events', [stateEvent(run, 'RUNNING', start + 1, cleared)])
    expect((await app.call('GET', `/task_runs/${run.id}`)).body).toMatchObject({ ...fields, ...cleared })
  })

  test('limit huge durations and accept times as numbers', async () => {
    const app = await setup()
    const runs = [1e10, 1e300, '99999999 days, 0:00:00', 'P999999999D', -1e10].map((total_run_time) => {
      const run = { id: newId(), flowRun: null, key: newId() }
      return { id: run.id, event: stateEvent(run, 'RUNNING', start, { total_run_time, start_time: 1_893_456_000, end_time: 1_893_456_000_500 }) }
    })
    await app.call(
      'POST',
      '/events',
      runs.map(({ event }) => event),
    )
    for (const { id } of runs) {
      const { status, body } = await app.call('GET', `/task_runs/${id}`)
      expect({ status, body }).toMatchObject({ status: 200, body: { start_time: formatTime(start), end_time: formatTime(start + 500_000) } })
    }
    expect((await app.call('POST', '/task_runs/filter', {})).body).toHaveLength(runs.length)
  })

  test('keep unpersisted data, the input keyset and the scheduled time of a state', async () => {
    const app = await setup()
    const run = { id: newId(), flowRun: await flowRun(app), key: 'k' }
    const event = stateEvent(run, 'SCHEDULED', start)
    const state_details = { run_input_keyset: { description: 'd', response: 'r' }, deferred: null }
    const validated_state = { type: 'SCHEDULED', data: { type: 'unpersisted' }, state_details }
    await app.call('POST', '/events', [{ ...event, payload: { ...event.payload, validated_state } }])
    const state = { ...validated_state, state_details: { ...state_details, scheduled_time: formatTime(start) } }
    expect((await app.call('GET', `/task_runs/${run.id}`)).body).toMatchObject({ state })
    expect((await app.call('GET', `/task_run_states/?task_run_id=${run.id}`)).body).toMatchObject([state])
  })

  test('keep the id of a stored run with the same keys', async () => {
    const app = await setup()
    const flow = await flowRun(app)
    const created = (await app.call('POST', '/task_runs/', { flow_run_id: flow, task_key: 'k', dynamic_key: '0' })).body
    const eventId = newId()
    app.clock.advance(10)
    await app.call('POST', '/events', [stateEvent({ id: eventId, flowRun: flow, key: 'k' }, 'RUNNING', app.context.clock.now())])
    expect((await app.call('GET', `/task_runs/${eventId}`)).status).toBe(404)
    expect((await app.call('GET', `/task_runs/${created.id}`)).body).toMatchObject({
      state_type: 'RUNNING',
      state: { state_details: { task_run_id: created.id } },
    })
  })

  test('are identified by id outside of flow runs', async () => {
    const app = await setup()
    const runs = [1, 2, 3].map(() => ({ id: newId(), flowRun: null, key: 'k' }))
    const [first, second, third] = runs as [(typeof runs)[0], (typeof runs)[0], (typeof runs)[0]]
    await app.call('POST', '/events', [stateEvent(first, 'RUNNING', start), stateEvent(second, 'FAILED', start)])
    await app.call('POST', '/events', [stateEvent(third, 'PENDING', start), stateEvent(first, 'COMPLETED', start + 1)])
    const types = await Promise.all(runs.map(async ({ id }) => (await app.call('GET', `/task_runs/${id}`)).body.state_type))
    expect(types).toEqual(['COMPLETED', 'FAILED', 'PENDING'])
    // A request with these keys returns the first of them.
    expect(await app.call('POST', '/task_runs/', { task_key: 'k', dynamic_key: '0' })).toMatchObject({ status: 200, body: { id: first.id } })
  })

  test.each([
    ['of a server', (event: Sent) => ({ ...event, resource: { ...event.resource, 'prefect.orchestration': 'server' } })],
    [
      'of a flow run that is not there',
      (event: Sent) => ({ ...event, related: [{ 'prefect.resource.id': `prefect.flow-run.${newId()}`, 'prefect.resource.role': 'flow-run' }] }),
    ],
    ['without a state', (event: Sent) => ({ ...event, payload: { task_run: event.payload.task_run } })],
    ['with an unknown state type', (event: Sent) => ({ ...event, payload: { ...event.payload, validated_state: { type: 'HAPPY' } } })],
    ['without keys', (event: Sent) => ({ ...event, payload: { ...event.payload, task_run: { name: 'x' } } })],
    ['with an invalid id', (event: Sent) => ({ ...event, resource: { ...event.resource, 'prefect.resource.id': 'prefect.task-run.x' } })],
  ])('are not created from an event %s, which is stored', async (_what, change) => {
    const app = await setup()
    const run = { id: newId(), flowRun: null, key: 'k' }
    expect((await app.call('POST', '/events', [change(stateEvent(run, 'RUNNING', start))])).status).toBe(204)
    expect(await app.eventNames()).toEqual(['prefect.task-run.Running'])
    expect((await app.call('POST', '/task_runs/count', {})).body).toBe(0)
  })

  describe('without a terminal state', () => {
    const pass = (app: TestApp) => taskRunReconciler.runOnce(app.context, new AbortController().signal)

    test('end some time after their flow run until the client sends a later state', async () => {
      const app = await setup()
      const flow = await flowRun(app)
      const [lost, late] = [1, 2].map((n) => ({ id: newId(), flowRun: flow, key: `k${n}` })) as [never, never]
      const at = () => app.context.clock.now()
      await app.call('POST', '/events', [stateEvent(lost, 'RUNNING', at()), stateEvent(late, 'RUNNING', at())])
      app.clock.advance(5)
      const completed = stateEvent(late, 'COMPLETED', at(), { end_time: formatTime(at()) })
      await app.call('POST', `/flow_runs/${flow}/set_state`, { state: { type: 'FAILED' } })
      app.clock.advance(500)
      expect(await pass(app)).toEqual({ ended: 0 })
      app.clock.advance(200)
      expect(await pass(app)).toEqual({ ended: 2 })
      const read = async ({ id }: { id: string }) => (await app.call('GET', `/task_runs/${id}`)).body
      expect(await read(lost)).toMatchObject({ state_type: 'CRASHED', state_name: 'Crashed', end_time: expect.any(String) })
      expect(await pass(app)).toEqual({ ended: 0 })
      await app.call('POST', '/events', [completed])
      expect(await read(late)).toMatchObject({ state_type: 'COMPLETED', state_id: completed.id })
      expect((await app.eventNames()).filter((name) => name === 'prefect.task-run.Crashed')).toHaveLength(2)
    })

    test('are not ended while their flow run is running, or after a later state', async () => {
      const app = await setup()
      const [going, over] = [await flowRun(app), await flowRun(app)]
      const runs = [going, over].map((flow, n) => ({ id: newId(), flowRun: flow, key: `k${n}` })) as [never, never]
      await app.call('POST', '/events', [stateEvent(runs[0], 'RUNNING', app.context.clock.now())])
      await app.call('POST', `/flow_runs/${over}/set_state`, { state: { type: 'COMPLETED' } })
      app.clock.advance(60)
      await app.call('POST', '/events', [stateEvent(runs[1], 'RUNNING', app.context.clock.now())])
      app.clock.advance(3600)
      expect(await pass(app)).toEqual({ ended: 0 })
    })

    test('are cancelled with a cancelled flow run', async () => {
      const app = await setup()
      const flow = await flowRun(app)
      const run = { id: newId(), flowRun: flow, key: 'k' }
      await app.call('POST', '/events', [stateEvent(run, 'PENDING', app.context.clock.now())])
      await app.call('POST', `/flow_runs/${flow}/set_state`, { state: { type: 'CANCELLED' }, force: true })
      app.clock.advance(3600)
      expect(await pass(app)).toEqual({ ended: 1 })
      expect((await app.call('GET', `/task_runs/${run.id}`)).body).toMatchObject({ state_type: 'CANCELLED' })
    })
  })
})
