import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const at = '/v2/concurrency_limits'
const create = async (app: TestApp, method: string, url: string, body: object) => (await app.call(method, url, body)).body
const holders = async (app: TestApp, name: string) => (await app.call('GET', `${at}/${name}/holders`)).body

eachDialect('holders of a limit', (setup) => {
  test('are listed with their runs, and waiters until they acquire a slot or stop retrying', async () => {
    const app = await setup()
    const flow = await create(app, 'POST', '/flows/', { name: 'f' })
    const first = await create(app, 'POST', '/flow_runs/', { flow_id: flow.id, name: 'first' })
    const task = await create(app, 'POST', '/task_runs/', { flow_run_id: first.id, task_key: 'k', dynamic_key: '0', name: 'second' })
    await create(app, 'POST', `${at}/`, { name: 'db', limit: 3 })
    await app.call('POST', `${at}/increment`, { names: ['db'], slots: 1 })
    const lease = (type: string, id: string, slots = 1) =>
      app.call('POST', `${at}/increment-with-lease`, { names: ['db'], slots, lease_duration: 60, holder: { type, id } })
    const acquired = await lease('flow_run', first.id, 2)
    expect(await holders(app, 'db')).toMatchObject({
      holder_count: 2,
      holders: [
        { holder_id: null, name: null, slots: 1, expires: null },
        { holder_type: 'flow_run', holder_id: first.id, name: 'first', flow_run_id: first.id, slots: 2, expires: expect.any(String) },
      ],
      waiters: [],
      waiter_count: 0,
    })

    expect((await lease('task_run', task.id)).status).toBe(423)
    const [waiter] = (await holders(app, 'db')).waiters
    expect(waiter).toMatchObject({ waiter_type: 'task_run', waiter_id: task.id, name: 'second', flow_run_id: first.id, slots: 1 })
    app.clock.advance(2)
    expect((await lease('task_run', task.id)).status).toBe(423)
    const [again] = (await holders(app, 'db')).waiters
    expect(again.since).toBe(waiter.since)
    expect(again.next_try > waiter.next_try).toBe(true)

    await app.call('POST', `${at}/decrement-with-lease`, { lease_id: acquired.body.lease_id })
    expect((await lease('task_run', task.id)).status).toBe(200)
    expect(await holders(app, 'db')).toMatchObject({ waiter_count: 0, holders: [{ holder_id: null }, { name: 'second', flow_run_id: first.id }] })

    expect((await lease('flow_run', first.id, 2)).status).toBe(423)
    app.clock.advance(3600)
    expect(await holders(app, 'db')).toMatchObject({ waiter_count: 0, holder_count: 1 })
    expect((await app.call('GET', `${at}/unknown/holders`)).status).toBe(404)
  })

  test('list runs that await a deployment slot as waiters', async () => {
    const app = await setup()
    const flow = await create(app, 'POST', '/flows/', { name: 'f' })
    const deployment = await create(app, 'POST', '/deployments/', { name: 'd', flow_id: flow.id, concurrency_limit: 1 })
    const limit = deployment.global_concurrency_limit.id
    const run = async (name: string) => {
      const { id } = await create(app, 'POST', `/deployments/${deployment.id}/create_flow_run`, { name })
      await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'PENDING' } })
      return id
    }
    const running = await run('one')
    app.clock.advance(5)
    const waiting = await run('two')
    const listed = await holders(app, limit)
    expect(listed).toMatchObject({ holder_count: 1, waiter_count: 1, holders: [{ holder_id: running, name: 'one' }] })
    expect(listed.waiters).toMatchObject([{ waiter_type: 'flow_run', waiter_id: waiting, flow_run_id: waiting, name: 'two' }])
    expect(listed.waiters[0].next_try > listed.waiters[0].since).toBe(true)
  })

  test('list task runs that were denied a tag slot as waiters', async () => {
    const app = await setup()
    await create(app, 'POST', '/concurrency_limits/', { tag: 'wet', concurrency_limit: 1 })
    const ids = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const
    for (const task_run_id of ids) await app.call('POST', '/concurrency_limits/increment', { names: ['wet'], task_run_id })
    const { body: limit } = await app.call('GET', '/concurrency_limits/tag/wet')
    expect(await holders(app, limit.id)).toMatchObject({
      holders: [{ holder_type: 'task_run', holder_id: ids[0], name: null, expires: null }],
      waiters: [{ waiter_type: 'task_run', waiter_id: ids[1], name: null, flow_run_id: null }],
    })
  })
})
