import { expect, test } from 'vitest'
import { forceState, readDataVersion, seedWorkPool } from '../../../test/seed-work-pool.ts'
import { eachDialect } from '../../../test/setup.ts'

eachDialect('POST /work_queues/:id/get_runs', (setup, dialect) => {
  test('does not record a peek', async () => {
    const { app, scheduleRun: run } = await seedWorkPool(await setup())
    await run('default', 'd', 1)
    const { id } = (await app.call('GET', '/work_pools/mill/queues/default')).body
    const written = await readDataVersion(app, dialect)
    for (const header of ['x-service-ui', 'x-prefect-ui']) {
      const { body } = await app.call('POST', `/work_queues/${id}/get_runs`, {}, { [header]: 'true' })
      expect(body).toMatchObject([{ name: 'd', work_queue_id: id }])
    }
    expect(await readDataVersion(app, dialect)).toEqual(written)
    await app.call('POST', `/work_queues/${id}/get_runs`, {}, { 'x-service-ui': 'false' })
    expect((await app.call('GET', `/work_queues/${id}`)).body.status).toBe('READY')
  })

  test('returns runs that were handed out within the last second last, and counts no peek', async () => {
    const { app, scheduleRun: run } = await seedWorkPool(await setup())
    for (const n of [1, 2]) await run('default', `d${n}`, n)
    const { id } = (await app.call('GET', '/work_pools/mill/queues/default')).body
    const poll = async (headers = {}) => (await app.call('POST', `/work_queues/${id}/get_runs`, { limit: 1 }, headers)).body[0].name
    expect(await poll({ 'x-service-ui': 'true' })).toBe('d1')
    expect([await poll(), await poll(), await poll()]).toEqual(['d1', 'd2', 'd1'])
  })

  test('counts cancelling runs as slots of the queue and respects a paused pool', async () => {
    const { app, scheduleRun: run } = await seedWorkPool(await setup())
    const { id } = (await app.call('GET', '/work_pools/mill/queues/default')).body
    const poll = async () => (await app.call('POST', `/work_queues/${id}/get_runs`, {})).body.map((found: { name: string }) => found.name)
    const first = await run('default', 'd1', 1)
    await run('default', 'd2', 2)
    await app.call('PATCH', `/work_queues/${id}`, { concurrency_limit: 1 })
    expect(await poll()).toEqual(['d1'])
    await forceState(app, first, 'RUNNING')
    await forceState(app, first, 'CANCELLING')
    expect(await poll()).toEqual([])
    expect((await app.call('GET', `/work_queues/${id}`)).body.active_slots).toBe(1)
    expect((await app.call('GET', '/work_pools/mill/queues/default')).body.active_slots).toBe(0)
    expect((await app.call('POST', `/work_queues/${id}/concurrency_status`, {})).body).toMatchObject({
      active_slots: 1,
      count: 1,
      pages: 1,
      flow_runs: [{ id: first, state_type: 'CANCELLING' }],
    })
    await app.call('PATCH', `/work_queues/${id}`, { concurrency_limit: null })
    expect(await poll()).toEqual(['d2'])
    await app.call('PATCH', '/work_pools/mill', { is_paused: true })
    expect(await poll()).toEqual([])
  })

  test('returns runs of a deleted queue with the same name', async () => {
    const { app, scheduleRun: run } = await seedWorkPool(await setup(), ['side'])
    await run('side', 'kept', 1)
    await app.call('DELETE', '/work_pools/mill/queues/side')
    const { id } = (await app.call('POST', '/work_pools/mill/queues', { name: 'side' })).body
    expect((await app.call('POST', `/work_queues/${id}/get_runs`, {})).body).toMatchObject([{ name: 'kept', work_queue_id: null }])
  })

  test('returns runs by deployment tags for a queue with a filter', async () => {
    const { app, deployments } = await seedWorkPool(await setup())
    const make = async (name: string, tags: string[]) =>
      (await app.call('POST', `/deployments/${deployments.default}/create_flow_run`, { name, tags })).body.id
    const first = await make('a', ['red', 'big'])
    await make('b', ['blue'])
    await make('c', ['red'])
    const { id } = (await app.call('POST', '/work_queues/', { name: 'red', filter: { tags: ['red'] }, concurrency_limit: 2 })).body
    const poll = async () => (await app.call('POST', `/work_queues/${id}/get_runs`, {})).body.map((found: { name: string }) => found.name)
    expect(await poll()).toEqual(['a', 'c'])
    await forceState(app, first, 'RUNNING')
    expect((await app.call('GET', `/work_queues/${id}`)).body.active_slots).toBe(1)
    expect(await poll()).toEqual(['c'])
    await app.call('PATCH', `/work_queues/${id}`, { concurrency_limit: 1 })
    expect(await poll()).toEqual([])
  })
})
