import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

async function createRun(app: TestApp, body: object = {}): Promise<string> {
  const flow = await app.call('POST', '/flows/', { name: 'a flow' })
  return (await app.call('POST', '/flow_runs/', { flow_id: flow.body.id, ...body })).body.id
}

eachDialect('POST /flow_runs/:id/set_state', (setup) => {
  test('replaces a failure with retries left by AwaitingRetry and emits one event', async () => {
    const app = await setup()
    const id = await createRun(app, { state: { type: 'RUNNING' }, empirical_policy: { retries: 2, retry_delay: 30 } })
    const { status, body } = await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'FAILED', message: 'disk full' } })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      status: 'REJECT',
      details: { rule: 'retry-failed-flow-run' },
      state: { name: 'AwaitingRetry', message: 'disk full' },
    })
    expect(await app.eventNames()).toEqual(['prefect.flow.created', 'prefect.flow-run.Running', 'prefect.flow-run.AwaitingRetry'])
  })

  test('returns the first response to a repeated failure and uses one retry', async () => {
    const app = await setup()
    const id = await createRun(app, { state: { type: 'RUNNING' }, empirical_policy: { retries: 1, retry_delay: 30 } })
    const failure = { state: { type: 'FAILED', message: 'disk full', state_details: { transition_id: app.context.newId() } } }
    const propose = (body: object) => app.call('POST', `/flow_runs/${id}/set_state`, body)
    const first = await propose(failure)
    expect(first).toMatchObject({ status: 201, body: { status: 'REJECT', state: { name: 'AwaitingRetry' } } })
    app.clock.advance(5)
    const again = await propose(failure)
    expect([again.status, again.body]).toEqual([first.status, first.body])
    expect((await app.call('GET', `/flow_runs/${id}`)).body.state_id).toBe(first.body.state.id)

    // The request is repeated after the run entered another state.
    app.clock.advance(60)
    const running = await propose({ state: { type: 'RUNNING', state_details: { transition_id: app.context.newId() } } })
    expect(running.body.status).toBe('ACCEPT')
    const late = await propose(failure)
    expect([late.status, late.body]).toEqual([first.status, first.body])
    expect((await app.call('GET', `/flow_runs/${id}`)).body).toMatchObject({ state_id: running.body.state.id, run_count: 2 })
    expect((await app.call('GET', `/flow_run_states/?flow_run_id=${id}`)).body).toHaveLength(3)
  })

  test('returns equal responses to repeats in one batch, and to repeats after the run left the state', async () => {
    const app = await setup()
    const id = await createRun(app, { state: { type: 'RUNNING' }, empirical_policy: { retries: 1 } })
    const propose = (body: object) => app.call('POST', `/flow_runs/${id}/set_state`, body)
    const failure = { state: { type: 'FAILED', state_details: { transition_id: app.context.newId() } } }
    const [first, ...others] = await Promise.all([propose(failure), propose(failure), propose(failure)])
    for (const { status, body } of others) expect([status, body]).toEqual([first?.status, first?.body])

    const accepted = { state: { type: 'RUNNING', state_details: { transition_id: app.context.newId() } } }
    const start = await propose(accepted)
    expect(start.body.status).toBe('ACCEPT')
    expect((await propose(accepted)).body).toMatchObject({ status: 'REJECT', state: { id: start.body.state.id } })
    expect((await propose({ state: { type: 'COMPLETED' } })).body.status).toBe('ACCEPT')
    const late = await propose(accepted)
    expect([late.status, late.body]).toEqual([start.status, start.body])
    expect((await app.call('GET', `/flow_runs/${id}`)).body).toMatchObject({ state_type: 'COMPLETED', run_count: 2 })
  })

  test('returns the first response to a repeated forced request and evaluates another request with the same id', async () => {
    const app = await setup()
    const id = await createRun(app)
    const propose = (type: string, transition_id: string) =>
      app.call('POST', `/flow_runs/${id}/set_state`, { state: { type, state_details: { transition_id } }, force: true })
    const transition = app.context.newId()
    const first = await propose('RUNNING', transition)
    expect((await propose('RUNNING', transition)).body).toEqual(first.body)
    expect((await app.call('GET', `/flow_runs/${id}`)).body.run_count).toBe(1)
    expect((await propose('COMPLETED', transition)).body).toMatchObject({ status: 'ACCEPT', state: { type: 'COMPLETED' } })
  })

  test('combines concurrent proposals in one transaction in order', async () => {
    const app = await setup()
    const id = await createRun(app)
    const answers = await Promise.all([
      app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'RUNNING' } }),
      app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED' } }),
      app.call('POST', `/flow_runs/00000000-0000-4000-8000-000000000000/set_state`, { state: { type: 'RUNNING' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 404])
    const run = (await app.call('GET', `/flow_runs/${id}`)).body
    expect(run).toMatchObject({ state_type: 'COMPLETED', run_count: 1 })
  })

  test('rejects fractions of a second in the deprecated delay field', async () => {
    const app = await setup()
    const flow = await app.call('POST', '/flows/', { name: 'a flow' })
    const make = (empirical_policy: object) => app.call('POST', '/flow_runs/', { flow_id: flow.body.id, empirical_policy })
    const refused = await make({ retry_delay_seconds: 1.5 })
    expect(refused.status).toBe(422)
    expect(refused.body.detail[0].loc).toEqual(['body', 'empirical_policy', 'retry_delay'])
    expect((await make({ retry_delay_seconds: 1.5, retry_delay: 4 })).body.empirical_policy).toMatchObject({
      retry_delay_seconds: 1.5,
      retry_delay: 4,
    })
    const patched = await app.call('PATCH', `/flow_runs/${(await make({})).body.id}`, { empirical_policy: { retry_delay_seconds: 1.5 } })
    expect(patched.status).toBe(422)
  })

  test('stores the verdicts of the rules', async () => {
    const app = await setup()
    const id = await createRun(app, { state: { type: 'RUNNING' } })
    await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'PENDING' } })
    const verdicts = await app.context.reads.kysely.selectFrom('verdict').selectAll().execute()
    expect(verdicts).toMatchObject([{ run_id: id, status: 'ABORT', rule: 'prevent-pending', from_type: 'RUNNING', to_type: 'PENDING' }])
  })
})
