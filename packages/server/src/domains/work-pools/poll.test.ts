import { expect, test } from 'vitest'
import { forceState, readDataVersion, seedWorkPool } from '../../../test/seed-work-pool.ts'
import { eachDialect } from '../../../test/setup.ts'
import { formatTime } from '../../lib/time.ts'

eachDialect('POST /work_pools/:name/get_scheduled_flow_runs', (setup, dialect) => {
  test('returns runs by queue priority, then by time, up to the limit', async () => {
    const { app, scheduleRun: run, poll } = await seedWorkPool(await setup(), ['default', 'low'])
    await app.call('POST', '/work_pools/mill/queues', { name: 'unused' })
    for (const [queue, name, seconds] of [
      ['low', 'l1', 10],
      ['default', 'd2', 300],
      ['default', 'd1', 200],
    ] as const)
      await run(queue, name, seconds)
    expect(await poll()).toEqual(['d1', 'd2', 'l1'])
    expect(await poll({ limit: 2 })).toEqual(['d1', 'd2'])
    expect(await poll({ limit: 0 })).toEqual([])
    expect(await poll({ work_queue_names: ['low'] })).toEqual(['l1'])
    await app.call('PATCH', '/work_pools/mill/queues/low', { priority: 1 })
    expect(await poll()).toEqual(['l1', 'd1', 'd2'])
    const before = formatTime(app.clock.now() + 250_000_000).replace('T', ' ')
    expect(await poll({ scheduled_before: before })).toEqual(['l1', 'd1'])
    expect(await poll({ scheduled_after: before })).toEqual(['d2'])
  })

  test('returns the state of each run', async () => {
    const { app, scheduleRun: run } = await seedWorkPool(await setup(), ['default'])
    const id = await run('default', 'd1', 1)
    const [due] = (await app.call('POST', '/work_pools/mill/get_scheduled_flow_runs', {})).body
    expect(due.flow_run.state).toEqual((await app.call('GET', `/flow_runs/${id}`)).body.state)
    expect(due.flow_run.state).toMatchObject({ type: 'SCHEDULED', name: 'Scheduled' })
  })

  test('applies one limit to any number of queues', async () => {
    const queues = Array.from({ length: 20 }, (_, n) => `q${String(n).padStart(2, '0')}`)
    const { scheduleRun: run, poll } = await seedWorkPool(await setup(), queues)
    for (const queue of queues) for (const n of [1, 2]) await run(queue, `${queue}-${n}`, n)
    const all = queues.flatMap((queue) => [`${queue}-1`, `${queue}-2`])
    expect(await poll()).toEqual(all)
    expect(await poll({ limit: 7 })).toEqual(all.slice(0, 7))
  })

  test('returns no more than the free slots of queue and pool', async () => {
    const { app, scheduleRun: run, poll } = await seedWorkPool(await setup(), ['default', 'low'])
    const ids = [await run('default', 'd1', 1), await run('default', 'd2', 2), await run('default', 'd3', 3), await run('low', 'l1', 1)]
    await app.call('PATCH', '/work_pools/mill/queues/default', { concurrency_limit: 2 })
    expect(await poll()).toEqual(['d1', 'd2', 'l1'])
    await forceState(app, ids[0]!, 'PENDING')
    expect(await poll()).toEqual(['d2', 'l1'])
    await app.call('PATCH', '/work_pools/mill', { concurrency_limit: 2 })
    expect(await poll()).toEqual(['d2'])
    expect(await poll({ work_queue_names: ['low'] })).toEqual(['l1'])
    expect((await app.call('GET', '/work_pools/mill')).body.active_slots).toBe(1)
    await forceState(app, ids[0]!, 'RUNNING')
    await forceState(app, ids[0]!, 'CANCELLING')
    expect(await poll()).toEqual(['d2', 'd3'])
    await app.call('PATCH', '/work_pools/mill', { concurrency_limit: 0 })
    expect(await poll()).toEqual([])
  })

  test('returns runs that were handed out within the last second last', async () => {
    const { app, scheduleRun: run, poll } = await seedWorkPool(await setup(), ['default', 'low'])
    for (const n of [1, 2, 3]) await run('default', `d${n}`, n)
    await run('low', 'l1', 1)
    expect(await poll({ limit: 2 })).toEqual(['d1', 'd2'])
    app.clock.advance(0.5)
    expect(await poll({ limit: 2 })).toEqual(['d3', 'l1'])
    expect(await poll({ limit: 3 })).toEqual(['d1', 'd2', 'd3'])
    expect(await poll()).toEqual(['d1', 'd2', 'd3', 'l1'])
    app.clock.advance(1)
    expect(await poll({ limit: 2 })).toEqual(['d1', 'd2'])
  })

  test('hands different runs to polls at the same time', async () => {
    const { scheduleRun: run, poll } = await seedWorkPool(await setup())
    for (let n = 0; n < 20; n += 1) await run('default', `d${n}`, n)
    const polled = await Promise.all(Array.from({ length: 10 }, () => poll({ limit: 2 })))
    expect(new Set(polled.flat()).size).toBe(20)
  })

  test('hands out no more different runs than there are free slots', async () => {
    const { app, scheduleRun: run, poll } = await seedWorkPool(await setup(), ['default', 'low'], { concurrency_limit: 3 })
    await app.call('PATCH', '/work_pools/mill/queues/default', { concurrency_limit: 2 })
    for (const n of [1, 2, 3]) await run('default', `d${n}`, n)
    for (const n of [1, 2]) await run('low', `l${n}`, n)
    const polled: string[] = []
    for (let n = 0; n < 6; n += 1) polled.push(...(await poll({ limit: 1 })))
    expect(polled).toEqual(['d1', 'd2', 'l1', 'd1', 'd2', 'l1'])
  })

  test('returns nothing from a paused queue or pool', async () => {
    const { app, scheduleRun: run, poll } = await seedWorkPool(await setup(), ['default', 'low'])
    await run('default', 'd', 1)
    await run('low', 'l', 1)
    await app.call('PATCH', '/work_pools/mill/queues/default', { is_paused: true })
    expect(await poll()).toEqual(['l'])
    await app.call('PATCH', '/work_pools/mill', { is_paused: true })
    expect(await poll()).toEqual([])
    await app.call('PATCH', '/work_pools/mill', { is_paused: false })
    await app.call('PATCH', '/work_pools/mill/queues/default', { is_paused: false })
    expect(await poll()).toEqual(['d', 'l'])
  })

  test('skips runs that retry in their process', async () => {
    const { app, scheduleRun: run, poll } = await seedWorkPool(await setup())
    const id = await run('default', 'd', 0)
    await app.call('PATCH', `/flow_runs/${id}`, { empirical_policy: { retry_type: 'in_process' } })
    expect(await poll()).toEqual([])
    await app.call('PATCH', `/flow_runs/${id}`, { empirical_policy: { retry_type: 'reschedule' } })
    expect(await poll()).toEqual(['d'])
  })

  test('marks queues and deployments as ready and emits that once', async () => {
    const { app, deployments, poll } = await seedWorkPool(await setup(), ['default', 'low'])
    const before = (await app.eventNames()).length
    await poll({ work_queue_names: ['low'] })
    expect((await app.eventNames()).slice(before)).toEqual(['prefect.work-queue.ready', 'prefect.deployment.ready'])
    await poll()
    expect((await app.eventNames()).slice(before + 2)).toEqual(['prefect.work-queue.ready', 'prefect.deployment.ready'])
    await poll()
    expect(await app.eventNames()).toHaveLength(before + 4)
    expect((await app.call('GET', `/deployments/${deployments.low}`)).body).toMatchObject({ status: 'READY', last_polled: expect.any(String) })
    expect((await app.call('GET', '/work_pools/mill')).body.status).toBe('NOT_READY')
  })

  test('marks a deployment that joins a ready queue as ready at the next poll', async () => {
    const { app, poll } = await seedWorkPool(await setup())
    await poll()
    const flow = (await app.call('POST', '/flows/', { name: 'g' })).body.id
    const { id } = (await app.call('POST', '/deployments/', { name: 'late', flow_id: flow, work_pool_name: 'mill' })).body
    await poll()
    expect((await app.call('GET', `/deployments/${id}`)).body.status).toBe('READY')
  })

  test('writes nothing without a change, except the time at intervals', async () => {
    const { app, scheduleRun: run, poll } = await seedWorkPool(await setup(), ['default', 'low'])
    await run('default', 'd', 1)
    await poll()
    const stamped = async () => (await app.call('GET', '/work_pools/mill/queues/default')).body.last_polled
    const [written, at] = [await readDataVersion(app, dialect), await stamped()]
    for (let n = 0; n < 5; n += 1) {
      app.clock.advance(2)
      expect(await poll()).toEqual(['d'])
    }
    expect(await readDataVersion(app, dialect)).toEqual(written)
    expect(await stamped()).toBe(at)
    app.clock.advance(6)
    await poll()
    expect(await readDataVersion(app, dialect)).not.toEqual(written)
    expect((await stamped()) > at).toBe(true)
  })

  test('writes one time for concurrent polls', async () => {
    const { app, poll } = await seedWorkPool(await setup())
    const before = (await app.eventNames()).length
    await Promise.all(Array.from({ length: 20 }, () => poll()))
    expect((await app.eventNames()).slice(before)).toEqual(['prefect.work-queue.ready', 'prefect.deployment.ready'])
  })

  test('rejects unknown pools and queues', async () => {
    const { app } = await seedWorkPool(await setup())
    expect((await app.call('POST', '/work_pools/none/get_scheduled_flow_runs', {})).status).toBe(404)
    expect((await app.call('POST', '/work_pools/mill/get_scheduled_flow_runs', { work_queue_names: ['none'] })).status).toBe(404)
  })
})

eachDialect('POST /work_pools/:name/concurrency_status', (setup) => {
  test('lists slot holders by queue', async () => {
    const { app, scheduleRun: run } = await seedWorkPool(await setup(), ['default', 'low'], { concurrency_limit: 5 })
    const runs = [await run('default', 'd1', 1), await run('default', 'd2', 1), await run('low', 'l1', 1)]
    for (const id of runs) await forceState(app, id, 'RUNNING')
    await forceState(app, runs[2]!, 'CANCELLING')
    app.clock.advance(10)
    const { body } = await app.call('POST', '/work_pools/mill/concurrency_status', { flow_run_limit: 1 })
    expect(body).toMatchObject({
      active_slots: 2,
      concurrency_limit: 5,
      count: 2,
      queues: [
        { queue_name: 'default', active_slots: 2, flow_run_count: 2, flow_runs: [{ id: runs[0], state_type: 'RUNNING' }] },
        { queue_name: 'low', active_slots: 0, flow_runs: [] },
      ],
    })
    expect(body.queues[0].flow_runs[0].time_in_current_state).toBeGreaterThan(9.9)
    expect((await app.call('POST', '/work_pools/mill/concurrency_status', { limit: 1, page: 2 })).body).toMatchObject({
      pages: 2,
      queues: [{ queue_name: 'low' }],
    })
  })
})
