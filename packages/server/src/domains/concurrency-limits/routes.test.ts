import { expect, test } from 'vitest'
import { eachDialect, startApp, type TestApp } from '../../../test/setup.ts'

const at = '/v2/concurrency_limits'
const create = (app: TestApp, name: string, limit: number, more: object = {}) => app.call('POST', `${at}/`, { name, limit, ...more })
const active = async (app: TestApp, name: string): Promise<number> => (await app.call('GET', `${at}/${name}`)).body.active_slots
const acquire = (app: TestApp, names: string[], slots = 1, more: object = {}) => app.call('POST', `${at}/increment`, { names, slots, ...more })
const release = (app: TestApp, names: string[], slots = 1, more: object = {}) => app.call('POST', `${at}/decrement`, { names, slots, ...more })
const lease = (app: TestApp, names: string[], slots = 1, more: object = {}) =>
  app.call('POST', `${at}/increment-with-lease`, { names, slots, ...more })
const releaseLease = (app: TestApp, lease_id: string) => app.call('POST', `${at}/decrement-with-lease`, { lease_id })
const renew = (app: TestApp, id: string, lease_duration = 60) => app.call('POST', `${at}/leases/${id}/renew`, { lease_duration })

eachDialect('concurrency limits', (setup, dialect) => {
  test('emit events for changes of a limit but not of its slots', async () => {
    const app = await setup()
    expect(await create(app, 'a', 2)).toMatchObject({ status: 201, body: { limit: 2, active_slots: 0, avg_slot_occupancy_seconds: 2 } })
    expect((await create(app, 'a', 3)).status).toBe(409)
    await acquire(app, ['a'])
    await release(app, ['a'])
    expect((await app.call('PATCH', `${at}/a`, { name: 'b', limit: 5, active: null })).status).toBe(409)
    expect((await app.call('PATCH', `${at}/a`, { name: 'b', limit: 5 })).status).toBe(204)
    await create(app, 'c', 1)
    expect((await app.call('PATCH', `${at}/c`, { name: 'b' })).status).toBe(409)
    expect((await app.call('DELETE', `${at}/b`)).status).toBe(204)
    expect(await app.eventNames()).toEqual(['created', 'updated', 'created', 'deleted'].map((what) => `prefect.concurrency-limit.${what}`))
  })

  test('give all slots or none, with a retry delay', async () => {
    const app = await setup()
    await create(app, 'a', 3)
    await create(app, 'b', 1)
    expect((await acquire(app, ['b', 'a', 'a', 'unknown'])).body.map(({ name }: { name: string }) => name)).toEqual(['a', 'b'])
    const denied = await acquire(app, ['a', 'b'])
    expect(denied).toMatchObject({ status: 423, body: { code: 'SLOTS_FULL' } })
    expect(Number(denied.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(denied.headers['retry-after'])).toBeLessThan(2.7)
    expect([await active(app, 'a'), await active(app, 'b')]).toEqual([1, 1])
    expect((await acquire(app, ['a'], 4)).status).toBe(422)
  })

  test('lengthen the retry delay with recent denials', async () => {
    const app = await setup()
    await create(app, 'a', 1)
    await acquire(app, ['a'])
    const wait = async () => Number((await acquire(app, ['a'])).headers['retry-after'])
    const first = await wait()
    for (let i = 0; i < 30; i += 1) await wait()
    expect(await wait()).toBeGreaterThan(2.7)
    expect(first).toBeLessThan(2.7)
    const { denied_slots } = await app.context.reads.kysely.selectFrom('concurrency_limit').select('denied_slots').executeTakeFirstOrThrow()
    expect(denied_slots).toBeCloseTo(32, 1)
    app.clock.advance(3600)
    expect(await wait()).toBeLessThan(2.7)
  })

  test('let any caller release slots without a lease, down to zero', async () => {
    const app = await setup()
    await create(app, 'a', 5)
    await acquire(app, ['a'], 2)
    await acquire(app, ['a'], 3)
    await release(app, ['a'], 4)
    expect(await active(app, 'a')).toBe(1)
    await release(app, ['a'], 10)
    expect(await active(app, 'a')).toBe(0)
    expect((await acquire(app, ['a'], 5)).status).toBe(200)
  })

  test('release slots of leases last, which can still be renewed and ended', async () => {
    const app = await setup()
    await create(app, 'a', 5)
    const { lease_id } = (await lease(app, ['a'], 2)).body
    await acquire(app, ['a'], 1)
    await release(app, ['a'], 2)
    expect(await active(app, 'a')).toBe(1)
    expect((await renew(app, lease_id)).status).toBe(204)
    await releaseLease(app, lease_id)
    expect(await active(app, 'a')).toBe(0)
  })

  test('average the occupancy of releases and of leases', async () => {
    const app = await setup()
    await create(app, 'a', 5)
    const average = async () =>
      (await app.context.reads.kysely.selectFrom('concurrency_limit').select('avg_slot_occupancy_seconds as average').executeTakeFirstOrThrow())
        .average
    await acquire(app, ['a'], 2)
    await release(app, ['a'], 2, { occupancy_seconds: 24 })
    expect(await average()).toBeCloseTo(3, 6)
    const { lease_id } = (await lease(app, ['a'])).body
    app.clock.advance(23)
    await releaseLease(app, lease_id)
    expect(await average()).toBeCloseTo(5, 3)
  })

  test('admit every caller and count none while inactive', async () => {
    const app = await setup()
    await create(app, 'a', 1, { active: false })
    const { lease_id } = (await lease(app, ['a'], 50)).body
    expect((await acquire(app, ['a'], 50)).status).toBe(200)
    expect(await active(app, 'a')).toBe(0)
    await app.call('PATCH', `${at}/a`, { active: true })
    expect((await acquire(app, ['a'])).status).toBe(200)
    await releaseLease(app, lease_id)
    expect(await active(app, 'a')).toBe(1)
  })

  test('accept a new number of slots in use', async () => {
    const app = await setup()
    await create(app, 'a', 5, { active_slots: 4 })
    expect(await active(app, 'a')).toBe(4)
    const { lease_id } = (await lease(app, ['a'])).body
    await app.call('PATCH', `${at}/a`, { active_slots: 0 })
    expect(await active(app, 'a')).toBe(0)
    expect((await renew(app, lease_id)).status).toBe(204)
    await app.call('PATCH', `${at}/a`, { active_slots: 3 })
    expect(await active(app, 'a')).toBe(3)
  })

  test('give the slots of an expired lease to the next caller', async () => {
    const app = await setup()
    await create(app, 'a', 2)
    const { lease_id } = (await lease(app, ['a'], 2, { lease_duration: 60 })).body
    app.clock.advance(59)
    expect((await acquire(app, ['a'])).status).toBe(423)
    app.clock.advance(2)
    expect(await active(app, 'a')).toBe(2)
    expect((await acquire(app, ['a'])).status).toBe(200)
    expect(await active(app, 'a')).toBe(2)
    expect(await renew(app, lease_id)).toMatchObject({ status: 410, body: { code: 'LEASE_GONE' } })
    expect(await active(app, 'a')).toBe(1)
  })

  test('renew an expired lease within the grace period only', async () => {
    const app = await setup()
    await create(app, 'a', 2)
    const { lease_id } = (await lease(app, ['a'], 2, { lease_duration: 60 })).body
    app.clock.advance(74)
    expect((await renew(app, lease_id)).status).toBe(204)
    expect((await acquire(app, ['a'])).status).toBe(423)
    app.clock.advance(75.1)
    expect(await active(app, 'a')).toBe(0)
    expect((await renew(app, lease_id)).status).toBe(410)
  })

  test('renew an expired lease over two limits as a whole or not at all', async () => {
    const app = await setup()
    await create(app, 'a', 1)
    await create(app, 'b', 1)
    const { lease_id } = (await lease(app, ['a', 'b'], 1, { lease_duration: 60 })).body
    app.clock.advance(61)
    await acquire(app, ['b'])
    expect((await renew(app, lease_id)).status).toBe(410)
    expect((await acquire(app, ['a'])).status).toBe(200)
  })

  test('keep leases of a deleted limit and of unknown names renewable', async () => {
    const app = await setup()
    await create(app, 'a', 1)
    const ofLimit = (await lease(app, ['a'])).body.lease_id
    const ofNothing = (await lease(app, ['unknown'])).body.lease_id
    await app.call('DELETE', `${at}/a`)
    for (const id of [ofLimit, ofNothing]) {
      expect((await renew(app, id)).status).toBe(204)
      expect((await releaseLease(app, id)).status).toBe(204)
      expect((await renew(app, id)).status).toBe(410)
    }
  })

  test('answer a burst like sequential requests', async () => {
    const app = await setup()
    await create(app, 'a', 40)
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => (i % 2 ? lease(app, ['a']) : acquire(app, ['a']))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(40)
    expect(answers.filter(({ status }) => status === 423)).toHaveLength(60)
    const leases = answers.flatMap(({ status, body }) => (status === 200 && body.lease_id ? [body.lease_id] : []))
    await Promise.all([...leases.map((id) => releaseLease(app, id)), ...Array.from({ length: 40 - leases.length }, () => release(app, ['a']))])
    expect(await active(app, 'a')).toBe(0)
    expect(await app.context.reads.kysely.selectFrom('concurrency_lease').selectAll().execute()).toEqual([])
  })

  test.runIf(dialect === 'postgres')('never give the last slot to two replicas', async () => {
    const app = await setup()
    const other = await startApp(app.context.config.database.url, { seed: 2 })
    try {
      await create(app, 'a', 7)
      await create(app, 'b', 9)
      const answers = await Promise.all(
        Array.from({ length: 120 }, (_, i) => lease(i % 2 ? app : other, i % 3 === 0 ? ['a'] : i % 3 === 1 ? ['b'] : ['b', 'a'])),
      )
      expect(await active(app, 'a')).toBeLessThanOrEqual(7)
      expect(await active(app, 'b')).toBe(9)
      const leases = answers.flatMap(({ status, body }) => (status === 200 ? [body.lease_id] : []))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 423]))
      await Promise.all(leases.map((id, i) => releaseLease(i % 2 ? other : app, id)))
      expect([await active(app, 'a'), await active(other, 'b')]).toEqual([0, 0])
    } finally {
      await other.close()
    }
  })
})

eachDialect('rate limits', (setup) => {
  test('free slots by decay', async () => {
    const app = await setup()
    await create(app, 'a', 5, { slot_decay_per_second: 2 })
    expect((await acquire(app, ['a'], 5, { mode: 'rate_limit' })).status).toBe(200)
    expect(await active(app, 'a')).toBe(5)
    app.clock.advance(0.4)
    expect((await acquire(app, ['a'])).status).toBe(423)
    expect(await active(app, 'a')).toBe(5)
    app.clock.advance(0.2)
    expect(await active(app, 'a')).toBe(4)
    expect((await acquire(app, ['a'], 2)).status).toBe(423)
    expect((await acquire(app, ['a'], 1)).status).toBe(200)
    app.clock.advance(10)
    expect(await active(app, 'a')).toBe(0)
    expect(await app.context.reads.kysely.selectFrom('concurrency_lease').selectAll().execute()).toEqual([])
  })

  test('serve frequent callers at exactly the rate', async () => {
    const app = await setup()
    await create(app, 'a', 2, { slot_decay_per_second: 3 })
    let served = 0
    for (let i = 0; i < 200; i += 1) {
      if ((await acquire(app, ['a'])).status === 200) served += 1
      app.clock.advance(0.05)
    }
    // Two at once, then three a second for ten seconds.
    expect(served).toBeGreaterThanOrEqual(31)
    expect(served).toBeLessThanOrEqual(32)
  })

  test('return the undecayed slots of a lease that ends early', async () => {
    const app = await setup()
    await create(app, 'a', 3, { slot_decay_per_second: 0.01 })
    const first = (await lease(app, ['a'], 2)).body.lease_id
    await releaseLease(app, first)
    expect(await active(app, 'a')).toBe(0)
    const second = (await lease(app, ['a'], 3)).body.lease_id
    app.clock.advance(250)
    expect(await active(app, 'a')).toBe(1)
    expect((await renew(app, second)).status).toBe(204)
    await releaseLease(app, second)
    expect(await active(app, 'a')).toBe(0)
  })

  test('are required by the mode rate_limit', async () => {
    const app = await setup()
    await create(app, 'a', 3, { slot_decay_per_second: 1 })
    await create(app, 'b', 3)
    expect(await acquire(app, ['a', 'b'], 1, { mode: 'rate_limit' })).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'mode'] }] } })
    expect((await acquire(app, ['a', 'b'])).status).toBe(200)
  })

  test('keep the slots in use when decay is switched on and off', async () => {
    const app = await setup()
    await create(app, 'a', 10)
    const { lease_id } = (await lease(app, ['a'], 2)).body
    await acquire(app, ['a'], 3)
    await app.call('PATCH', `${at}/a`, { slot_decay_per_second: 1 })
    expect(await active(app, 'a')).toBe(5)
    app.clock.advance(1)
    expect(await active(app, 'a')).toBe(4)
    await app.call('PATCH', `${at}/a`, { slot_decay_per_second: 0 })
    app.clock.advance(1000)
    expect(await active(app, 'a')).toBe(2)
    await app.call('PATCH', `${at}/a`, { slot_decay_per_second: 1, active_slots: 1 })
    expect(await active(app, 'a')).toBe(1)
    expect((await releaseLease(app, lease_id)).status).toBe(204)
    expect(await active(app, 'a')).toBe(0)
  })
})
