import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'
import { leaseExpiration } from '../../services/lease-expiration.ts'
import type { Tx } from '../../storage/database.ts'
import { endLease } from './lease-requests.ts'
import { submitSlotRequest } from './slot-batch.ts'
import { SlotLedger } from './slot-ledger.ts'
import { acquireSlots } from './slot-requests.ts'

const leaseSeconds = 60

async function createLimits(app: TestApp, slots: Record<string, number>): Promise<void> {
  for (const [name, limit] of Object.entries(slots)) await app.call('POST', '/v2/concurrency_limits/', { name, limit })
}

/** Slots in use of each limit by the leases themselves. */
async function readLeasedSlots(app: TestApp, now: number): Promise<Record<string, number>> {
  const { kysely } = app.context.reads
  const rows = await kysely
    .selectFrom('concurrency_lease')
    .innerJoin('concurrency_limit', 'concurrency_limit.id', 'concurrency_lease.limit_id')
    .select(['name', 'concurrency_lease.slots', 'expires'])
    .execute()
  const used: Record<string, number> = {}
  for (const { name, slots, expires } of rows) if (expires === null || expires > now) used[name] = (used[name] ?? 0) + slots
  return used
}

eachDialect('slots under load', (setup) => {
  test('ten thousand come, a fifth vanish: never over the limit, and all free when their time is out', async () => {
    const app = await setup()
    const allowed: Record<string, number> = { a: 40, b: 25 }
    await createLimits(app, allowed)
    let asked = 0
    let vanished = 0
    let refused = 0
    let held: string[] = []
    for (let wave = 0; asked < 10_000; wave += 1) {
      const takers = Array.from({ length: 250 }, (_, i) => {
        const names = (asked + i) % 3 === 0 ? ['a', 'b'] : (asked + i) % 3 === 1 ? ['a'] : ['b']
        return submitSlotRequest(
          app.context,
          acquireSlots(app.context, { names, slots: 1 + (i % 2), mode: 'concurrency', lease: { seconds: leaseSeconds, holder: null } }),
        )
      })
      asked += takers.length
      // Those who hold slots give them back in the very moment in which others ask; a fifth are never heard of again.
      const leaving = held.filter((_, i) => i % 5 !== wave % 5)
      vanished += held.length - leaving.length
      const [answers] = await Promise.all([Promise.allSettled(takers), ...leaving.map((id) => submitSlotRequest(app.context, endLease(id)))])
      held = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.lease_id] : []))
      refused += answers.length - held.length
      for (const [name, used] of Object.entries(await readLeasedSlots(app, app.clock.now())))
        expect(used).toBeLessThanOrEqual(allowed[name] as number)
      app.clock.advance(9)
      if (wave % 4 === 3) await leaseExpiration.runOnce(app.context, AbortSignal.timeout(10_000))
    }
    expect(vanished).toBeGreaterThan(50)
    expect(refused).toBeGreaterThan(1000)

    app.clock.advance(leaseSeconds)
    for (const [name, slots] of Object.entries(allowed)) {
      expect(await app.call('POST', '/v2/concurrency_limits/increment', { names: [name], slots })).toMatchObject({ status: 200 })
      await app.call('POST', '/v2/concurrency_limits/decrement', { names: [name], slots })
    }
    app.clock.advance(15)
    await leaseExpiration.runOnce(app.context, AbortSignal.timeout(10_000))
    expect(await app.context.reads.kysely.selectFrom('concurrency_lease').selectAll().execute()).toEqual([])
  }, 60_000)

  test('as many statements for two hundred requests as for two', async () => {
    const app = await setup()
    await createLimits(app, { a: 1000, b: 1000 })
    const statements = (requests: number) =>
      app.context.writeQueue.submit(async (tx) => {
        let count = 0
        // Insert and update are one statement each on PostgreSQL, whatever the number of rows.
        const counted = new Proxy(tx, {
          get(target, key: keyof Tx) {
            const value = target[key]
            if (typeof value !== 'function') return value
            if (['all', 'first', 'run', 'insert', 'update'].includes(key)) count += 1
            return value.bind(target)
          },
        })
        const ledger = await SlotLedger.load(
          counted,
          { names: ['a', 'b'], anonymousSlots: requests },
          { now: app.clock.now(), newId: app.context.newId, ...app.context.config.concurrency },
        )
        for (let i = 0; i < requests; i += 1) {
          ledger.acquire(ledger.limitsByName(['a', 'b']), 1, i % 2 ? { seconds: 60, holder: null } : null)
          for (const limit of ledger.limitsByName(['b'])) ledger.releaseAnonymous(limit, 1)
        }
        await ledger.flush()
        return count
      })
    expect(await statements(200)).toBe(await statements(2))
  })
})
