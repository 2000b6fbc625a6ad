import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'

eachDialect('GET /flow_runs/:id/verdicts and /task_runs/:id/verdicts', (setup) => {
  test('lists the newest verdicts with rule, reason and facts, oldest first', async () => {
    const app = await setup()
    const flow = await app.call('POST', '/flows/', { name: 'a flow' })
    const { id } = (await app.call('POST', '/flow_runs/', { flow_id: flow.body.id, state: { type: 'RUNNING' } })).body
    await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'PENDING' } })
    app.clock.advance(1)
    await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'CANCELLING' } })
    app.clock.advance(1)
    await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'RUNNING' } })

    const { status, body } = await app.call('GET', `/flow_runs/${id}/verdicts`)
    expect(status).toBe(200)
    expect(body).toMatchObject([
      { run_id: id, status: 'ABORT', rule: 'prevent-pending', from_type: 'RUNNING', to_type: 'PENDING', reason: expect.stringMatching(/\w/) },
      { run_id: id, status: 'REJECT', from_type: 'CANCELLING', to_type: 'RUNNING' },
    ])
    expect(body[0].at < body[1].at).toBe(true)
    expect((await app.call('GET', `/flow_runs/${id}/verdicts?limit=1`)).body).toEqual([body[1]])
  })

  test('lists the holders of the slots that a task run waits for', async () => {
    const app = await setup()
    await app.call('POST', '/concurrency_limits/', { tag: 'db', concurrency_limit: 0 })
    const { id } = (await app.call('POST', '/task_runs/', { task_key: 'k', dynamic_key: '0', tags: ['db'] })).body
    await app.call('POST', `/task_runs/${id}/set_state`, { state: { type: 'RUNNING' } })
    const { body } = await app.call('GET', `/task_runs/${id}/verdicts`)
    expect(body).toHaveLength(1)
    expect(body[0]).toMatchObject({ run_id: id, to_type: 'RUNNING', reason: expect.stringContaining('db') })
  })

  test('returns an empty list for an unknown run', async () => {
    const app = await setup()
    expect(await app.call('GET', '/flow_runs/00000000-0000-4000-8000-000000000000/verdicts')).toMatchObject({ status: 200, body: [] })
  })
})
