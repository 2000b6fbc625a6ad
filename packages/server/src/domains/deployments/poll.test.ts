import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

async function createDeployment(app: TestApp): Promise<string> {
  const flow = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
  return (await app.call('POST', '/deployments/', { name: 'd', flow_id: flow })).body.id
}

const poll = (app: TestApp, id: string, body: object = {}) =>
  app.call('POST', '/deployments/get_scheduled_flow_runs', { deployment_ids: [id], ...body })
const at = (time: string) => ({ state: { type: 'SCHEDULED', state_details: { scheduled_time: time } } })

eachDialect('POST /deployments/get_scheduled_flow_runs', (setup) => {
  test('returns due runs, earliest first', async () => {
    const app = await setup()
    const id = await createDeployment(app)
    const run = (body: object) => app.call('POST', `/deployments/${id}/create_flow_run`, body)
    await run({ name: 'later', ...at('2030-01-01T02:00:00Z') })
    await run({ name: 'soon', ...at('2030-01-01T01:00:00Z') })
    await run({ name: 'begun', state: { type: 'PENDING' } })
    const names = async (body: object = {}) => (await poll(app, id, body)).body.map(({ name }: { name: string }) => name)
    expect(await names()).toEqual(['soon', 'later'])
    expect(await names({ scheduled_before: '2030-01-01T01:30:00Z' })).toEqual(['soon'])
    expect(await names({ limit: 1 })).toEqual(['soon'])
    expect((await app.call('POST', '/deployments/get_scheduled_flow_runs', { deployment_ids: [] })).body).toEqual([])
  })

  test('marks the deployment as ready, emits that once and writes nothing without a change', async () => {
    const app = await setup()
    const id = await createDeployment(app)
    const read = async () => (await app.call('GET', `/deployments/${id}`)).body
    const { updated } = await read()
    await poll(app, id)
    const first = await read()
    expect(first).toMatchObject({ status: 'READY', updated })
    app.clock.advance(5)
    await poll(app, id)
    expect((await read()).last_polled).toBe(first.last_polled)
    app.clock.advance(30)
    await poll(app, id)
    expect((await read()).last_polled > first.last_polled).toBe(true)
    expect((await app.eventNames()).filter((event) => event === 'prefect.deployment.ready')).toHaveLength(1)
  })
})
