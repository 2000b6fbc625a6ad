import { expect, test } from 'vitest'
import { eachDialect, startApp, type TestApp } from '../../test/setup.ts'
import { leaseExpiration } from './lease-expiration.ts'

const limitsPath = '/v2/concurrency_limits'
const runPass = (app: TestApp) => leaseExpiration.runOnce(app.context, AbortSignal.timeout(10_000))
const lease = async (app: TestApp, names: string[], slots = 1) =>
  (await app.call('POST', `${limitsPath}/increment-with-lease`, { names, slots, lease_duration: 60 })).body.lease_id
const countLeaseRows = async (app: TestApp) => (await app.context.reads.kysely.selectFrom('concurrency_lease').select('id').execute()).length

eachDialect('lease-expiration', (setup, dialect) => {
  test('deletes expired leases and wakes waiters as soon as slots are free', async () => {
    const app = await setup()
    await app.call('POST', `${limitsPath}/`, { name: 'a', limit: 5 })
    await lease(app, ['a'], 2)
    app.clock.advance(30)
    const later = await lease(app, ['a'])
    await app.call('POST', `${limitsPath}/increment`, { names: ['a'], slots: 1 })
    let woken = 0
    app.context.bus.on('slots', () => {
      woken += 1
    })
    expect(await runPass(app)).toEqual({ expired: 0, rebased: 0, abandoned: 0 })
    expect(woken).toBe(0)
    app.clock.advance(31)
    expect(await runPass(app)).toEqual({ expired: 0, rebased: 0, abandoned: 0 })
    expect(woken).toBe(1)
    app.clock.advance(15)
    expect(await runPass(app)).toEqual({ expired: 1, rebased: 0, abandoned: 0 })
    expect(await countLeaseRows(app)).toBe(2)
    expect((await app.call('POST', `${limitsPath}/leases/${later}/renew`, {})).status).toBe(204)
  })

  test('shortens leases after a clock that was a day ahead is corrected', async () => {
    const app = await setup()
    await app.call('POST', `${limitsPath}/`, { name: 'a', limit: 2 })
    await runPass(app)
    const start = app.clock.now()
    app.clock.advance(86_400)
    await lease(app, ['a'])
    await runPass(app)
    app.clock.set(start)
    expect(await runPass(app)).toEqual({ expired: 0, rebased: 1, abandoned: 0 })
    app.clock.advance(76)
    expect(await runPass(app)).toEqual({ expired: 1, rebased: 0, abandoned: 0 })
    expect(await countLeaseRows(app)).toBe(0)
  })

  test('handles any number in bounded transactions', async () => {
    const app = await setup()
    await app.call('POST', `${limitsPath}/`, { name: 'a', limit: 2000 })
    await Promise.all(Array.from({ length: 1100 }, () => lease(app, ['a'])))
    app.clock.advance(76)
    expect(await runPass(app)).toEqual({ expired: 1100, rebased: 0, abandoned: 0 })
    expect(await countLeaseRows(app)).toBe(0)
  })

  test('stops between two transactions when aborted', async () => {
    const app = await setup()
    await app.call('POST', `${limitsPath}/`, { name: 'a', limit: 2000 })
    await Promise.all(Array.from({ length: 600 }, () => lease(app, ['a'])))
    app.clock.advance(76)
    expect(await leaseExpiration.runOnce(app.context, AbortSignal.abort())).toEqual({ expired: 500, rebased: 0, abandoned: 0 })
  })

  test('returns slots of a rate limit and records the occupancy', async () => {
    const app = await setup()
    await app.call('POST', `${limitsPath}/`, { name: 'a', limit: 2, slot_decay_per_second: 0.0001 })
    await lease(app, ['a'], 2)
    app.clock.advance(76)
    expect((await app.call('GET', `${limitsPath}/a`)).body.active_slots).toBe(2)
    await runPass(app)
    expect((await app.call('GET', `${limitsPath}/a`)).body.active_slots).toBe(0)
    const { average } = await app.context.reads.kysely
      .selectFrom('concurrency_limit')
      .select('avg_slot_occupancy_seconds as average')
      .executeTakeFirstOrThrow()
    expect(average).toBeCloseTo(2 + (38 - 2) / 4, 3)
  })

  test.runIf(dialect === 'postgres')('two replicas remove each lease once', async () => {
    const app = await setup()
    const other = await startApp(app.context.config.database.url, { seed: 2 })
    try {
      await app.call('POST', `${limitsPath}/`, { name: 'a', limit: 400, slot_decay_per_second: 0.0001 })
      await app.call('POST', `${limitsPath}/increment`, { names: ['a'], slots: 50 })
      await Promise.all(Array.from({ length: 300 }, () => lease(app, ['a'])))
      app.clock.advance(76)
      other.clock.advance(76)
      const [mine, theirs] = await Promise.all([runPass(app), runPass(other)])
      expect((mine.expired ?? 0) + (theirs.expired ?? 0)).toBe(300)
      expect((await app.call('GET', `${limitsPath}/a`)).body.active_slots).toBe(50)
    } finally {
      await other.close()
    }
  })
})
