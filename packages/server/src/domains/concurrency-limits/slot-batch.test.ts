import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'
import type { RunSlots } from '../../orchestration/rule.ts'
import { loadSlots, runSlotsOf } from '../../runs/slots/run-slots.ts'
import { leaseExpiration } from '../../services/lease-expiration.ts'
import type { Tx } from '../../storage/database.ts'
import { RequestLedger } from './request-ledger.ts'
import { submitSlotRequest } from './slot-batch.ts'
import { acquireSlots, endLease } from './slot-requests.ts'

const leaseSeconds = 60

async function createLimits(app: TestApp, slots: Record<string, number>): Promise<void> {
  for (const [name, limit] of Object.entries(slots)) await app.call('POST', '/v2/concurrency_limits/', { name, limit })
}

/** Slots in use of each limit, by the lease rows. */
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

/** Counts statements. Insert and update are one statement each on PostgreSQL, for any number of rows. */
function countingTx(tx: Tx): { readonly tx: Tx; readonly count: () => number } {
  let count = 0
  const counting = new Proxy(tx, {
    get(target, key: keyof Tx) {
      const value = target[key]
      if (typeof value !== 'function') return value
      if (key === 'write')
        return (writes: Parameters<Tx['write']>[0]) => {
          count += writes.length
          return target.write(writes)
        }
      if (!['all', 'first', 'run', 'insert', 'update'].includes(key)) return value.bind(target)
      return (...args: unknown[]) => {
        // Inserts and updates without rows run no statement.
        if (!Array.isArray(args[1]) || args[1].length > 0) count += 1
        return (value as (...given: unknown[]) => unknown).apply(target, args)
      }
    },
  })
  return { tx: counting, count: () => count }
}

eachDialect('slots under load', (setup) => {
  test('never exceed the limit and all become free when 10,000 callers come and a fifth of them vanish', async () => {
    const app = await setup()
    const allowed: Record<string, number> = { a: 40, b: 25 }
    await createLimits(app, allowed)
    let requested = 0
    let vanished = 0
    let denied = 0
    let held: string[] = []
    for (let wave = 0; requested < 10_000; wave += 1) {
      const requests = Array.from({ length: 250 }, (_, i) => {
        const names = (requested + i) % 3 === 0 ? ['a', 'b'] : (requested + i) % 3 === 1 ? ['a'] : ['b']
        return submitSlotRequest(
          app.context,
          acquireSlots(app.context, { names, slots: 1 + (i % 2), mode: 'concurrency', lease: { seconds: leaseSeconds, holder: null } }),
        )
      })
      requested += requests.length
      // Holders release in the same batch in which others acquire. A fifth never release.
      const leaving = held.filter((_, i) => i % 5 !== wave % 5)
      vanished += held.length - leaving.length
      const [results] = await Promise.all([Promise.allSettled(requests), ...leaving.map((id) => submitSlotRequest(app.context, endLease(id)))])
      held = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.lease_id] : []))
      denied += results.length - held.length
      for (const [name, used] of Object.entries(await readLeasedSlots(app, app.clock.now())))
        expect(used).toBeLessThanOrEqual(allowed[name] as number)
      app.clock.advance(9)
      if (wave % 4 === 3) await leaseExpiration.runOnce(app.context, AbortSignal.timeout(10_000))
    }
    expect(vanished).toBeGreaterThan(50)
    expect(denied).toBeGreaterThan(1000)

    app.clock.advance(leaseSeconds)
    for (const [name, slots] of Object.entries(allowed)) {
      expect(await app.call('POST', '/v2/concurrency_limits/increment', { names: [name], slots })).toMatchObject({ status: 200 })
      await app.call('POST', '/v2/concurrency_limits/decrement', { names: [name], slots })
    }
    app.clock.advance(15)
    await leaseExpiration.runOnce(app.context, AbortSignal.timeout(10_000))
    expect(await app.context.reads.kysely.selectFrom('concurrency_lease').selectAll().execute()).toEqual([])
  }, 60_000)

  test('need as many statements for two hundred requests as for two', async () => {
    const app = await setup()
    await createLimits(app, { a: 1000, b: 1000 })
    const statements = (requests: number) =>
      app.context.commands.submit(async (realTx) => {
        const { tx, count } = countingTx(realTx)
        const ledger = await RequestLedger.load(tx, app.context, { names: ['a', 'b'], anonymousSlots: requests })
        for (let i = 0; i < requests; i += 1) {
          ledger.acquire(ledger.limitsByName(['a', 'b']), 1, i % 2 ? { seconds: 60, holder: null } : null)
          for (const limit of ledger.limitsByName(['b'])) ledger.releaseAnonymous(limit, 1)
        }
        await ledger.flush(tx)
        return count()
      })
    expect(await statements(200)).toBe(await statements(2))
  })

  test('need no statement for runs without limits, and a constant number for runs with limits', async () => {
    const app = await setup()
    await createLimits(app, { a: 1000, 'tag:b': 1000 })
    const statements = (names: string[], runs: readonly string[], act: (slots: RunSlots, run: string) => void) =>
      app.context.commands.submit(async (realTx) => {
        const { tx, count } = countingTx(realTx)
        const { ledger } = await loadSlots(tx, app.context, names, true)
        const slots = runSlotsOf(ledger, 'flow_run')
        for (const run of runs) act(slots, run)
        await tx.write(ledger.writes(tx.dialect))
        return count()
      })
    const runs = Array.from({ length: 50 }, (_, i) => `run-${i}`)
    expect(await statements([], runs, () => undefined)).toBe(0)
    expect(await statements(['unknown'], runs, () => undefined)).toBe(2)
    for (const some of [runs.slice(0, 2), runs]) {
      expect(await statements(['a'], some, (slots, run) => slots.acquire(['a'], run, 60))).toBe(3)
      expect(await statements(['a'], some, (slots, run) => slots.renew(run, ['a'], 60))).toBe(3)
      expect(await statements(['a'], some, (slots, run) => slots.release(run, ['a']))).toBe(3)
    }
    expect(await readLeasedSlots(app, app.clock.now())).toEqual({})
  })
})
