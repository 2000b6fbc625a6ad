import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { workerMonitor } from './worker-monitor.ts'

const nothingChanged = { workers: 0, pools: 0, deployments: 0, queues: 0 }
const runPass = (app: TestApp) => workerMonitor.runOnce(app.context, new AbortController().signal)

async function seedReadyPool(app: TestApp): Promise<{ deployment: string; poll(): Promise<unknown>; beat(): Promise<unknown> }> {
  await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })
  const flow = (await app.call('POST', '/flows/', { name: 'f' })).body.id
  const deployment = (await app.call('POST', '/deployments/', { name: 'd', flow_id: flow, work_pool_name: 'mill' })).body.id
  const poll = () => app.call('POST', '/work_pools/mill/get_scheduled_flow_runs', {})
  const beat = () => app.call('POST', '/work_pools/mill/workers/heartbeat', { name: 'ann', heartbeat_interval_seconds: 10 })
  await poll()
  await beat()
  return { deployment, poll, beat }
}

eachDialect('worker-monitor', (setup) => {
  test('leaves active workers, queues and deployments alone', async () => {
    const app = await setup()
    const { poll, beat } = await seedReadyPool(app)
    for (let n = 0; n < 8; n += 1) {
      app.clock.advance(14)
      await poll()
      await beat()
      expect(await runPass(app)).toEqual(nothingChanged)
    }
  })

  test('updates statuses after missing heartbeats, once', async () => {
    const app = await setup()
    const { deployment } = await seedReadyPool(app)
    app.clock.advance(29)
    expect(await runPass(app)).toEqual(nothingChanged)
    app.clock.advance(2)
    expect(await runPass(app)).toEqual({ ...nothingChanged, workers: 1, pools: 1 })
    app.clock.advance(30)
    const before = (await app.eventNames()).length
    expect(await runPass(app)).toEqual({ ...nothingChanged, deployments: 1, queues: 1 })
    expect((await app.eventNames()).slice(before).sort()).toEqual(['prefect.deployment.not-ready', 'prefect.work-queue.not-ready'])
    expect(await runPass(app)).toEqual(nothingChanged)
    expect((await app.call('POST', '/work_pools/mill/workers/filter', {})).body).toMatchObject([{ status: 'OFFLINE' }])
    expect((await app.call('GET', '/work_pools/mill')).body.status).toBe('NOT_READY')
    expect((await app.call('GET', '/work_pools/mill/queues/default')).body.status).toBe('NOT_READY')
    expect((await app.call('GET', `/deployments/${deployment}`)).body.status).toBe('NOT_READY')
  })

  test('sets ready again after a new poll', async () => {
    const app = await setup()
    const { deployment, poll, beat } = await seedReadyPool(app)
    app.clock.advance(61)
    await runPass(app)
    const before = (await app.eventNames()).length
    await poll()
    await beat()
    expect((await app.eventNames()).slice(before)).toEqual(['prefect.work-queue.ready', 'prefect.deployment.ready', 'prefect.work-pool.ready'])
    expect((await app.call('GET', `/deployments/${deployment}`)).body.status).toBe('READY')
    expect(await runPass(app)).toEqual(nothingChanged)
  })

  test('uses the fallback interval for a worker without one', async () => {
    const app = await setup({
      env: {
        MILLRACE_SERVICES_WORKER_MONITOR_FALLBACK_HEARTBEAT_INTERVAL_SECONDS: '7',
        MILLRACE_SERVICES_WORKER_MONITOR_INACTIVITY_HEARTBEAT_MULTIPLE: '2',
      },
    })
    await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })
    await app.call('POST', '/work_pools/mill/workers/heartbeat', { name: 'ann' })
    app.clock.advance(13)
    expect(await runPass(app)).toEqual(nothingChanged)
    app.clock.advance(2)
    expect(await runPass(app)).toEqual({ ...nothingChanged, workers: 1, pools: 1 })
  })

  test('keeps paused pools paused and ignores deleted workers', async () => {
    const app = await setup()
    await seedReadyPool(app)
    await app.call('PATCH', '/work_pools/mill', { is_paused: true })
    await app.call('PATCH', '/work_pools/mill/queues/default', { is_paused: true })
    app.clock.advance(61)
    expect(await runPass(app)).toEqual({ ...nothingChanged, workers: 1, deployments: 1 })
    expect((await app.call('GET', '/work_pools/mill')).body.status).toBe('PAUSED')
  })

  test('sets a pool not ready when its last worker is deleted', async () => {
    const app = await setup()
    await seedReadyPool(app)
    await app.call('DELETE', '/work_pools/mill/workers/ann')
    expect(await runPass(app)).toEqual({ ...nothingChanged, pools: 1 })
  })

  test('handles all deployments in one pass', async () => {
    const app = await setup()
    const { deployment, poll } = await seedReadyPool(app)
    const [first] = await app.context.reads.kysely.selectFrom('deployment').selectAll().where('id', '=', deployment).execute()
    const more = Array.from({ length: 1200 }, (_, n) => ({
      ...first!,
      id: app.context.newId(),
      name: `d${n}`,
      status: 'NOT_READY',
      last_polled: null,
    }))
    await app.context.commands.submit((tx) => tx.insert('deployment', more))
    await poll()
    await poll()
    app.clock.advance(61)
    expect(await runPass(app)).toEqual({ workers: 1, pools: 1, deployments: 1201, queues: 1 })
  })
})
