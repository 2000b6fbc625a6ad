import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

async function aRun(app: TestApp, body: object = {}): Promise<string> {
  const flow = await app.call('POST', '/flows/', { name: 'a flow' })
  return (await app.call('POST', '/flow_runs/', { flow_id: flow.body.id, ...body })).body.id
}

eachDialect('POST /flow_runs/:id/set_state', (setup) => {
  test('a failure with attempts left is rejected into AwaitingRetry, and says so once', async () => {
    const app = await setup()
    const id = await aRun(app, { state: { type: 'RUNNING' }, empirical_policy: { retries: 2, retry_delay: 30 } })
    const { status, body } = await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'FAILED', message: 'disk full' } })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      status: 'REJECT',
      details: { rule: 'retry-failed-flow-run' },
      state: { name: 'AwaitingRetry', message: 'disk full' },
    })
    expect(await app.events()).toEqual(['prefect.flow.created', 'prefect.flow-run.Running', 'prefect.flow-run.AwaitingRetry'])
  })

  test('many proposals of one turn share a transaction and come in order', async () => {
    const app = await setup()
    const id = await aRun(app)
    const answers = await Promise.all([
      app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'RUNNING' } }),
      app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED' } }),
      app.call('POST', `/flow_runs/00000000-0000-4000-8000-000000000000/set_state`, { state: { type: 'RUNNING' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 404])
    const run = (await app.call('GET', `/flow_runs/${id}`)).body
    expect(run).toMatchObject({ state_type: 'COMPLETED', run_count: 1 })
  })

  test('the old name of the delay may not bring fractions of a second either', async () => {
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

  test('what the rules said is kept for explanations', async () => {
    const app = await setup()
    const id = await aRun(app, { state: { type: 'RUNNING' } })
    await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'PENDING' } })
    const verdicts = await app.parts.reads.kysely.selectFrom('verdict').selectAll().execute()
    expect(verdicts).toMatchObject([{ run_id: id, status: 'ABORT', rule: 'prevent-pending', from_type: 'RUNNING', to_type: 'PENDING' }])
  })
})
