import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'

const missingId = '00000000-0000-4000-8000-000000000000'

eachDialect('the states of runs', (setup) => {
  test('are listed for a flow run, oldest first, with data as sent', async () => {
    const app = await setup()
    const flow = await app.call('POST', '/flows/', { name: 'a flow' })
    const run = (await app.call('POST', '/flow_runs/', { flow_id: flow.body.id })).body
    const running = await app.call('POST', `/flow_runs/${run.id}/set_state`, '{"state": {"type": "RUNNING", "message": "go", "data": {"n": 1.0}}}')
    await app.call('POST', `/flow_runs/${run.id}/set_state`, { state: { type: 'COMPLETED', name: 'Done' } })

    const { status, body } = await app.call('GET', `/flow_run_states/?flow_run_id=${run.id}`)
    expect(status).toBe(200)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['Pending', 'Running', 'Done'])
    const one = await app.server.inject(`/flow_run_states/${running.body.state.id}`)
    expect(one.body).toContain('"data":{"n": 1.0}')
    expect(one.json()).toMatchObject({ type: 'RUNNING', message: 'go', state_details: { flow_run_id: run.id } })
  })

  test('are listed for a task run', async () => {
    const app = await setup()
    const task = (await app.call('POST', '/task_runs/', { task_key: 'k', dynamic_key: '0' })).body
    await app.call('POST', `/task_runs/${task.id}/set_state`, { state: { type: 'RUNNING' } })
    const { body } = await app.call('GET', `/task_run_states/?task_run_id=${task.id}`)
    expect(body).toMatchObject([{ name: 'Pending' }, { name: 'Running' }])
    expect((await app.call('GET', `/task_run_states/${body[1].id}`)).body).toEqual(body[1])
  })

  test.each(['flow', 'task'])('are an empty list for an unknown %s run', async (kind) => {
    const app = await setup()
    expect(await app.call('GET', `/${kind}_run_states/?${kind}_run_id=${missingId}`)).toMatchObject({ status: 200, body: [] })
    expect((await app.call('GET', `/${kind}_run_states/${missingId}`)).status).toBe(404)
    expect(await app.call('GET', `/${kind}_run_states/`)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', `${kind}_run_id`], type: 'missing' }] },
    })
  })
})
