import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

eachDialect('pages of flow runs', (setup) => {
  async function seed(app: TestApp) {
    await app.call('POST', '/work_pools/', { name: 'pool', type: 'process' })
    const flow_id = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
    const deployment = (await app.call('POST', '/deployments/', { name: 'd', flow_id, work_pool_name: 'pool' })).body.id
    const ids: string[] = []
    for (const name of ['one', 'two', 'three']) {
      ids.push((await app.call('POST', `/deployments/${deployment}/create_flow_run`, { name, state: { type: 'PENDING' } })).body.id)
    }
    return { deployment, ids: ids as [string, string, string] }
  }
  const list = async (app: TestApp, filter: object = {}) => (await app.call('POST', '/flow_runs/filter', { sort: 'ID_DESC', ...filter })).body
  const read = async (app: TestApp, id: string) => (await app.call('GET', `/flow_runs/${id}`)).body

  /** The estimates of runs that have not ended differ by the microseconds between two requests. */
  const withoutEstimates = ({ estimated_run_time: _, estimated_start_time_delta: __, ...run }: Record<string, unknown>) => run

  test('show each change of a run at once', async () => {
    const app = await setup()
    const { ids } = await seed(app)
    const expectCurrent = async () => {
      const page = await list(app)
      const single = await Promise.all(page.map(({ id }: { id: string }) => read(app, id)))
      expect(page.map(withoutEstimates)).toEqual(single.map(withoutEstimates))
      return page
    }
    await expectCurrent()
    await app.call('PATCH', `/flow_runs/${ids[0]}`, { name: 'renamed' })
    expect((await expectCurrent()).map(({ name }: { name: string }) => name)).toContain('renamed')
    await app.call('PATCH', `/flow_runs/${ids[1]}/labels`, { a: 1 })
    await expectCurrent()
    await app.call('POST', `/flow_runs/${ids[1]}/set_state`, { state: { type: 'RUNNING' }, force: true })
    await expectCurrent()
    await app.call('POST', `/flow_runs/${ids[1]}/set_state`, { state: { type: 'COMPLETED' }, force: true })
    await expectCurrent()
    await app.call('DELETE', `/flow_runs/${ids[2]}`)
    expect(await expectCurrent()).toHaveLength(2)
  })

  test('show the current names of the queue and its pool', async () => {
    const app = await setup()
    const { ids } = await seed(app)
    const [run] = await list(app)
    expect(run).toMatchObject({ work_queue_name: 'default', work_pool_name: 'pool' })
    await list(app)
    const queue = (await read(app, ids[0])).work_queue_id
    await app.call('PATCH', `/work_queues/${queue}`, { name: 'other' })
    for (const each of await list(app)) expect(each).toMatchObject({ work_queue_name: 'other', work_pool_name: 'pool' })
    await app.call('DELETE', '/work_pools/pool')
    for (const each of await list(app)) expect(each).toMatchObject({ work_queue_id: null, work_pool_id: null, work_pool_name: null })
  })

  test('show estimates at the time of the request', async () => {
    const app = await setup()
    const { ids } = await seed(app)
    await app.call('POST', `/flow_runs/${ids[0]}/set_state`, { state: { type: 'RUNNING' }, force: true })
    const estimate = async () => (await list(app, { flow_runs: { id: { any_: [ids[0]] } } }))[0].estimated_run_time
    const before = await estimate()
    app.clock.advance(100)
    expect((await estimate()) - before).toBeCloseTo(100, 1)
  })

  test('contain large and small values as they were sent', async () => {
    const app = await setup()
    const { deployment } = await seed(app)
    const big = 'x'.repeat(100_000)
    const parameters = `{"exact":1.0,"big":12345678901234567890,"text":"${big}"}`
    await app.call('POST', `/deployments/${deployment}/create_flow_run`, `{"name":"large","parameters":${parameters}}`)
    await app.call('POST', `/deployments/${deployment}/create_flow_run`, `{"name":"small","parameters":{"exact":1.0,"b":2,"a":1}}`)
    for (let turn = 0; turn < 2; turn += 1) {
      const { body } = await app.server.inject({ method: 'POST', url: '/flow_runs/filter', payload: { sort: 'ID_DESC' } })
      expect(body).toContain(parameters)
      expect(body).toContain('{"exact":1.0,"b":2,"a":1}')
    }
  })

  test('are complete while runs change', async () => {
    const app = await setup()
    const { ids } = await seed(app)
    const changes = ids.map(async (id) => {
      for (let index = 0; index < 30; index += 1) await app.call('PATCH', `/flow_runs/${id}`, { name: `${id}-${index}` })
    })
    for (let index = 0; index < 30; index += 1) {
      const page = await list(app)
      expect(page.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
    }
    await Promise.all(changes)
    expect((await list(app)).map(({ name }: { name: string }) => name)).toEqual(ids.toReversed().map((id) => `${id}-29`))
  })
})
