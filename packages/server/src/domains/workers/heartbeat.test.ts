import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'

eachDialect('workers', (setup) => {
  test('are created by a heartbeat, which marks the pool as ready once', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })
    const beat = (name: string, more: object = {}) => app.call('POST', '/work_pools/mill/workers/heartbeat', { name, ...more })
    expect((await beat('ann', { heartbeat_interval_seconds: 5 })).status).toBe(204)
    await beat('ann')
    await beat('bob')
    expect((await app.call('GET', '/work_pools/mill')).body.status).toBe('READY')
    expect((await app.eventNames()).filter((event) => event === 'prefect.work-pool.ready')).toHaveLength(1)
    const { body } = await app.call('POST', '/work_pools/mill/workers/filter', {})
    expect(body).toMatchObject([
      { name: 'bob', heartbeat_interval_seconds: null, status: 'ONLINE' },
      { name: 'ann', heartbeat_interval_seconds: 5, status: 'ONLINE' },
    ])
  })

  test('have one row each after concurrent heartbeats', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        app.call('POST', `/work_pools/${n === 7 ? 'none' : 'mill'}/workers/heartbeat`, {
          name: `w${n % 3}`,
          ...(n === 0 ? { heartbeat_interval_seconds: 9 } : {}),
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(29)
    expect(answers[7]!.status).toBe(404)
    const { body } = await app.call('POST', '/work_pools/mill/workers/filter', {})
    expect(
      body.map((worker: { name: string; heartbeat_interval_seconds: number }) => [worker.name, worker.heartbeat_interval_seconds]).sort(),
    ).toEqual([
      ['w0', 9],
      ['w1', null],
      ['w2', null],
    ])
    expect((await app.eventNames()).filter((event) => event === 'prefect.work-pool.ready')).toHaveLength(1)
  })

  test('do not end a pause, but a resumed pool with online workers is ready', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'mill', type: 'process', is_paused: true })
    await app.call('POST', '/work_pools/mill/workers/heartbeat', { name: 'ann' })
    expect((await app.call('GET', '/work_pools/mill')).body.status).toBe('PAUSED')
    await app.call('PATCH', '/work_pools/mill', { is_paused: false })
    expect((await app.call('GET', '/work_pools/mill')).body.status).toBe('READY')
  })

  test('are filtered by status and time, and deleted by name', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })
    for (const name of ['ann', 'bob']) {
      await app.call('POST', '/work_pools/mill/workers/heartbeat', { name })
      app.clock.advance(60)
    }
    const names = async (workers: object) =>
      (await app.call('POST', '/work_pools/mill/workers/filter', { workers })).body.map((worker: { name: string }) => worker.name)
    expect(await names({ last_heartbeat_time: { after_: '2030-01-01T00:00:30Z' } })).toEqual(['bob'])
    expect(await names({ status: { any_: ['OFFLINE'] } })).toEqual([])
    expect(await names({ status: { not_any_: ['OFFLINE'] } })).toEqual(['bob', 'ann'])
    expect(await names({ operator: 'or_', status: { any_: ['OFFLINE'] }, last_heartbeat_time: { before_: '2030-01-01T00:00:30Z' } })).toEqual(['ann'])
    expect((await app.call('DELETE', '/work_pools/mill/workers/ann')).status).toBe(204)
    expect((await app.call('DELETE', '/work_pools/mill/workers/ann')).status).toBe(404)
    expect(await names({})).toEqual(['bob'])
  })
})
