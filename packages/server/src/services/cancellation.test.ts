import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { cancellation } from './cancellation.ts'

const runPass = (app: TestApp) => cancellation.runOnce(app.context, new AbortController().signal)
const flowRun = async (app: TestApp, id: string) => (await app.call('GET', `/flow_runs/${id}`)).body
const taskRun = async (app: TestApp, id: string) => (await app.call('GET', `/task_runs/${id}`)).body

async function createRun(app: TestApp, body: object = {}): Promise<string> {
  const flow_id = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
  return (await app.call('POST', '/flow_runs/', { flow_id, state: { type: 'RUNNING' }, ...body })).body.id
}

let made = 0
async function createTask(app: TestApp, flow_run_id: string, type = 'RUNNING'): Promise<string> {
  made += 1
  return (await app.call('POST', '/task_runs/', { flow_run_id, task_key: 'k', dynamic_key: String(made), state: { type } })).body.id
}

eachDialect('cancellation', (setup) => {
  test('cancels the tasks and nested subflows of a cancelled run', async () => {
    const app = await setup()
    const parent = await createRun(app)
    const [running, done, holder] = [await createTask(app, parent), await createTask(app, parent, 'COMPLETED'), await createTask(app, parent)]
    const child = await createRun(app, { parent_task_run_id: holder })
    const grandchild = await createTask(app, child)
    const stranger = await createTask(app, await createRun(app))
    await app.call('POST', `/flow_runs/${parent}/set_state`, { state: { type: 'CANCELLED' }, force: true })
    await runPass(app)
    await runPass(app)
    const states = [running, done, holder, grandchild, stranger].map(async (id) => (await taskRun(app, id)).state_type)
    expect(await Promise.all(states)).toEqual(['CANCELLED', 'COMPLETED', 'CANCELLED', 'CANCELLED', 'RUNNING'])
    expect(await flowRun(app, child)).toMatchObject({ state_type: 'CANCELLED', state: { message: expect.stringContaining('was cancelled') } })
    expect(await runPass(app)).toEqual({ ended: 0, subflows: 0, tasks: 0 })
  })

  test('sets a subflow with a deployment to Cancelling and waits for it', async () => {
    const app = await setup()
    const parent = await createRun(app)
    const flow_id = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
    const deployment = (await app.call('POST', '/deployments/', { name: 'd', flow_id })).body.id
    const child = (
      await app.call('POST', `/deployments/${deployment}/create_flow_run`, {
        parent_task_run_id: await createTask(app, parent),
        state: { type: 'RUNNING' },
      })
    ).body.id
    await app.call('POST', `/flow_runs/${parent}/set_state`, { state: { type: 'CANCELLED' }, force: true })
    expect(await runPass(app)).toMatchObject({ subflows: 1 })
    expect((await flowRun(app, child)).state_type).toBe('CANCELLING')
    expect(await runPass(app)).toMatchObject({ subflows: 0 })
  })

  test('ends a run that stays in Cancelling for five minutes, with a reason', async () => {
    const app = await setup()
    const id = await createRun(app)
    await app.call('PATCH', `/flow_runs/${id}`, { infrastructure_pid: 'somewhere' })
    await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'CANCELLING' } })
    app.clock.advance(299)
    expect(await runPass(app)).toMatchObject({ ended: 0 })
    app.clock.advance(2)
    expect(await runPass(app)).toMatchObject({ ended: 1 })
    expect(await flowRun(app, id)).toMatchObject({ state_type: 'CANCELLED', state: { message: expect.stringContaining('timed out') } })
  })

  test('finds a task that appears late', async () => {
    const app = await setup()
    const id = await createRun(app)
    await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'CANCELLED' }, force: true })
    await runPass(app)
    app.clock.advance(1800)
    const late = await createTask(app, id)
    expect(await runPass(app)).toMatchObject({ tasks: 1 })
    expect((await taskRun(app, late)).state_type).toBe('CANCELLED')
  })
})
