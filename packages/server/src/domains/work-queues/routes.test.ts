import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const eventsOf = async (app: TestApp, queue: string) => {
  const rows = await app.context.reads.kysely
    .selectFrom('event')
    .select(['event', 'payload'])
    .where('resource_id', '=', `prefect.work-queue.${queue}`)
    .orderBy('position')
    .execute()
  return rows.map(({ event, payload }) => ({ event, payload: JSON.parse(payload) }))
}

eachDialect('work queues without a pool', (setup) => {
  test('belong to the agent pool, which is created with the first of them', async () => {
    const app = await setup()
    expect((await app.call('GET', '/work_pools/default-agent-pool')).status).toBe(404)
    const first = await app.call('POST', '/work_queues/', { name: 'loose' })
    expect(first).toMatchObject({ status: 201, body: { work_pool_name: 'default-agent-pool', priority: 1, status: 'NOT_READY', description: '' } })
    expect((await app.call('GET', '/work_pools/default-agent-pool')).body).toMatchObject({ type: 'service-agent', status: null })
    expect((await app.call('POST', '/work_queues/', { name: 'loose' })).status).toBe(409)
    expect((await app.call('GET', '/work_queues/name/loose')).body.id).toBe(first.body.id)
  })

  test('have priority 1 without one and leave the others in place, and the lowest free one with null', async () => {
    const app = await setup()
    const queues = '/work_pools/default-agent-pool/queues/filter'
    const create = async (name: string, more: object) => (await app.call('POST', '/work_queues/', { name, ...more })).body.priority
    expect([await create('a', {}), await create('b', { priority: null }), await create('c', {}), await create('d', { priority: null })]).toEqual([
      1, 2, 1, 3,
    ])
    const listed = (await app.call('POST', queues, {})).body.map(({ name, priority }: Record<string, unknown>) => [name, priority])
    expect(listed).toEqual([
      ['default', 1],
      ['a', 1],
      ['c', 1],
      ['b', 2],
      ['d', 3],
    ])
    // A given priority still moves those at and behind it.
    expect(await create('e', { priority: 2 })).toBe(2)
    expect((await app.call('GET', '/work_queues/name/b')).body.priority).toBe(3)
  })

  test('include "default" as soon as the pool exists', async () => {
    const app = await setup()
    expect((await app.call('POST', '/work_queues/', { name: 'default' })).status).toBe(201)
    expect((await app.call('POST', '/work_queues/', { name: 'default' })).status).toBe(409)
    expect((await app.call('POST', '/work_queues/filter', {})).body).toHaveLength(1)
  })

  test('are created by a deployment with the highest priority', async () => {
    const app = await setup()
    await app.call('POST', '/work_queues/', { name: 'earlier' })
    const flow = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const made = await app.call('POST', '/deployments/', { name: 'd', flow_id: flow, work_queue_name: 'new' })
    expect(made.body).toMatchObject({ work_queue_name: 'new', work_pool_name: 'default-agent-pool' })
    const queues = (await app.call('POST', '/work_pools/default-agent-pool/queues/filter', {})).body
    expect(queues.map((queue: { name: string; priority: number }) => [queue.name, queue.priority])).toEqual([
      ['new', 1],
      ['default', 2],
      ['earlier', 3],
    ])
  })
})

eachDialect('a work queue', (setup) => {
  test('resumes as ready if it was polled recently, else as not ready', async () => {
    const app = await setup()
    const { id } = (await app.call('POST', '/work_queues/', { name: 'q' })).body
    const status = async () => (await app.call('GET', `/work_queues/${id}`)).body.status
    await app.call('PATCH', `/work_queues/${id}`, { is_paused: true })
    await app.call('PATCH', `/work_queues/${id}`, { is_paused: true })
    expect(await status()).toBe('PAUSED')
    await app.call('PATCH', `/work_queues/${id}`, { is_paused: false })
    expect(await status()).toBe('NOT_READY')
    await app.call('PATCH', `/work_queues/${id}`, { is_paused: true })
    await app.call('POST', `/work_queues/${id}/get_runs`, {})
    expect(await status()).toBe('PAUSED')
    await app.call('PATCH', `/work_queues/${id}`, { is_paused: false })
    expect(await status()).toBe('READY')
    expect((await eventsOf(app, id)).map(({ event }) => event.slice('prefect.work-queue.'.length))).toEqual([
      'created',
      'paused',
      'not-ready',
      'paused',
      'ready',
    ])
  })

  test('created as paused gets the status PAUSED only when it is paused again', async () => {
    const app = await setup()
    const { id } = (await app.call('POST', '/work_queues/', { name: 'q', is_paused: true })).body
    const status = async () => (await app.call('GET', `/work_queues/${id}`)).body.status
    expect(await status()).toBe('NOT_READY')
    await app.call('POST', `/work_queues/${id}/get_runs`, {})
    expect(await status()).toBe('READY')
    await app.call('PATCH', `/work_queues/${id}`, { is_paused: true })
    expect(await status()).toBe('PAUSED')
    expect((await eventsOf(app, id)).map(({ event }) => event.slice('prefect.work-queue.'.length))).toEqual(['created', 'ready', 'paused'])
  })

  test('emits the changed fields of an update', async () => {
    const app = await setup()
    const { id } = (await app.call('POST', '/work_queues/', { name: 'q' })).body
    await app.call('PATCH', `/work_queues/${id}`, {
      description: 'new',
      concurrency_limit: 1,
      filter: { tags: ['x'] },
      last_polled: '2030-01-01T00:00:00Z',
    })
    await app.call('PATCH', `/work_queues/${id}`, { description: 'new', name: null, priority: null })
    const events = await eventsOf(app, id)
    expect(events).toHaveLength(2)
    expect(events[1]!.payload).toEqual({
      updated_fields: ['description', 'concurrency_limit'],
      updates: { description: { from: '', to: 'new' }, concurrency_limit: { from: null, to: 1 } },
    })
    expect((await app.call('GET', `/work_queues/${id}`)).body).toMatchObject({
      name: 'q',
      filter: { tags: ['x'], deployment_ids: null },
      last_polled: '2030-01-01T00:00:00Z',
    })
  })

  test('is healthy while it is polled and no run is late', async () => {
    const app = await setup()
    const { id } = (await app.call('POST', '/work_queues/', { name: 'q' })).body
    const health = async () => (await app.call('GET', `/work_queues/${id}/status`)).body
    expect(await health()).toMatchObject({ healthy: false, last_polled: null })
    await app.call('POST', `/work_queues/${id}/get_runs`, {})
    expect(await health()).toMatchObject({
      healthy: true,
      late_runs_count: 0,
      health_check_policy: { maximum_late_runs: 0, maximum_seconds_since_last_polled: 60 },
    })
    app.clock.advance(61)
    expect(await health()).toMatchObject({ healthy: false })
    await app.call('POST', `/work_queues/${id}/get_runs`, {})
    const flow = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    await app.call('POST', '/flow_runs/', {
      flow_id: flow,
      work_pool_name: 'default-agent-pool',
      work_queue_name: 'q',
      state: { type: 'SCHEDULED', name: 'Late' },
    })
    expect(await health()).toMatchObject({ healthy: false, late_runs_count: 1 })
  })

  test('is found by a case-insensitive name prefix, in the same order on both databases', async () => {
    const app = await setup()
    for (const name of ['beta', 'Alpha', 'alps']) await app.call('POST', '/work_queues/', { name })
    const names = async (filter: object) =>
      (await app.call('POST', '/work_queues/filter', { work_queues: filter })).body.map((queue: { name: string }) => queue.name)
    expect(await names({})).toEqual(['Alpha', 'alps', 'beta', 'default'])
    expect(await names({ name: { startswith_: ['AL'] } })).toEqual(['Alpha', 'alps'])
    expect(await names({ name: { startswith_: ['be', 'x'] } })).toEqual(['beta'])
    expect(await names({ name: { startswith_: ['%l%a', 'b_t'] } })).toEqual(['Alpha'])
    expect(await names({ name: { startswith_: [] } })).toEqual(['Alpha', 'alps', 'beta', 'default'])
    expect(await names({ name: { startswith_: ['al'], any_: ['alps', 'beta'] } })).toEqual(['alps'])
  })
})
