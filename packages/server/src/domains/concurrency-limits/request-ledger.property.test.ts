import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'
import type { Micros } from '../../lib/time.ts'
import { loadSlots, runSlotsOf } from '../../runs/slots/run-slots.ts'
import { RequestLedger } from './request-ledger.ts'

const limitSlots = { a: 3, b: 2, rate: 4 }
type LimitName = keyof typeof limitSlots
// The test clock advances by a microsecond at each read. With these fractions no level and no expiry falls on a step of the clock.
const decayPerSecond = 0.26

interface ModelLease {
  readonly leaseId: string
  readonly limit: LimitName
  readonly holder: string | null
  slots: number
  expires: Micros | null
}

/** The rules of slots, without batches, locks or indexes. */
class SlotModel {
  leases: ModelLease[] = []
  rate = { level: 0, settled: 0 }
  now = 0

  readonly isLive = ({ expires }: ModelLease) => expires === null || expires > this.now
  ofLimit = (limit: LimitName) => this.leases.filter((lease) => lease.limit === limit && this.isLive(lease))
  level = () => Math.max(0, this.rate.level - (decayPerSecond * Math.max(0, this.now - this.rate.settled)) / 1e6)
  used = (limit: LimitName) => (limit === 'rate' ? this.level() : this.ofLimit(limit).reduce((sum, { slots }) => sum + slots, 0))
  holders = (limit: LimitName) => this.ofLimit(limit).flatMap(({ holder }) => holder ?? [])

  acquire(leaseId: string, limits: readonly LimitName[], slots: number, holder: string | null, seconds: number | null): void {
    for (const limit of limits) {
      if (limit === 'rate') this.#setLevel(this.level() + slots)
      this.leases.push({ leaseId, limit, holder, slots, expires: seconds === null ? null : this.now + seconds * 1e6 })
    }
  }

  release(isReleased: (lease: ModelLease) => boolean): void {
    for (const lease of this.leases.filter(isReleased)) if (lease.limit === 'rate') this.#setLevel(Math.max(0, this.level() - lease.slots))
    this.leases = this.leases.filter((lease) => !isReleased(lease))
  }

  #setLevel(level: number): void {
    this.rate = { level, settled: this.now }
  }
}

const limitNames = fc.uniqueArray(fc.constantFrom<LimitName>('a', 'b', 'rate'), { minLength: 1 })
const run = fc.constantFrom('run-1', 'run-2', 'run-3', 'run-4')
const seconds = fc.constantFrom(5.5, 20.5, null)
const runAction = fc.oneof(
  fc.record({ kind: fc.constant('acquire' as const), run, names: limitNames, seconds }),
  fc.record({ kind: fc.constant('renew' as const), run, names: limitNames, seconds }),
  fc.record({ kind: fc.constant('release' as const), run, names: limitNames }),
  fc.record({ kind: fc.constant('release-lease' as const), run, lease: fc.nat(7) }),
)
const clientAction = fc.oneof(
  fc.record({ kind: fc.constant('acquire' as const), names: limitNames, slots: fc.integer({ min: 1, max: 2 }), seconds: fc.constantFrom(5.5, 20.5) }),
  fc.record({ kind: fc.constant('renew' as const), lease: fc.nat(7) }),
  fc.record({ kind: fc.constant('end' as const), lease: fc.nat(7) }),
)
const step = fc.record({
  advance: fc.constantFrom(0, 1, 6, 25),
  batch: fc.oneof(
    fc.record({ by: fc.constant('runs' as const), actions: fc.array(runAction, { minLength: 1, maxLength: 6 }) }),
    fc.record({ by: fc.constant('clients' as const), actions: fc.array(clientAction, { minLength: 1, maxLength: 6 }) }),
  ),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
const graceSeconds = 10

/** A lease of two limits has expired in one of them, where its slot is taken. A renewal ends it and frees the slot of the other limit. */
const lostLease: Step[] = [
  {
    advance: 0,
    batch: {
      by: 'runs',
      actions: [
        { kind: 'acquire', run: 'run-2', names: ['b', 'a'], seconds: null },
        { kind: 'renew', run: 'run-2', names: ['a'], seconds: 5.5 },
      ],
    },
  },
  {
    advance: 6,
    batch: {
      by: 'clients',
      actions: [
        { kind: 'acquire', names: ['a'], slots: 2, seconds: 5.5 },
        { kind: 'acquire', names: ['a'], slots: 1, seconds: 5.5 },
        { kind: 'renew', lease: 2 },
      ],
    },
  },
]

eachDialect('the slot ledger', (setup, dialect) => {
  test('agrees with a model for batches of runs and of clients', async () => {
    const app = await setup()
    const { context, clock } = app
    for (const [name, limit] of Object.entries(limitSlots))
      await app.call('POST', '/v2/concurrency_limits/', { name, limit, slot_decay_per_second: name === 'rate' ? decayPerSecond : 0 })

    const scenario = async (steps: readonly Step[]) => {
      await context.commands.submit(async (tx) => {
        const ledger = await RequestLedger.load(tx, context, { names: Object.keys(limitSlots) })
        for (const limit of ledger.limitsByName(['rate'])) ledger.setDecayingSlots(limit, 0)
        await ledger.flush(tx)
      })
      await app.context.commands.submit((tx) => tx.kysely.deleteFrom('concurrency_lease').execute())
      const model = new SlotModel()
      const leases: string[] = []
      for (const { advance, batch } of steps) {
        clock.advance(advance)
        model.now = clock.now()
        if (batch.by === 'runs') {
          await context.commands.submit(async (tx) => {
            const { ledger } = await loadSlots(tx, context, Object.keys(limitSlots), true)
            const slots = runSlotsOf(ledger, 'flow_run')
            for (const action of batch.actions) {
              if (action.kind === 'acquire') {
                if (action.names.some((name) => slots.usage(name)?.holders.includes(action.run))) continue
                const leaseId = slots.acquire(action.names, action.run, action.seconds)
                leases.push(leaseId)
                model.acquire(leaseId, action.names, 1, action.run, action.seconds)
              } else if (action.kind === 'renew') {
                const held = model.leases.filter((lease) => model.isLive(lease) && lease.holder === action.run && action.names.includes(lease.limit))
                const leaseId = slots.renew(action.run, action.names, action.seconds)
                if (held.length === 0) model.acquire(leaseId, action.names, 1, action.run, action.seconds)
                else expect(held.map((lease) => lease.leaseId)).toContain(leaseId)
                for (const lease of held) lease.expires = action.seconds === null ? null : model.now + action.seconds * 1e6
                if (held.length === 0) leases.push(leaseId)
              } else if (action.kind === 'release') {
                slots.release(action.run, action.names)
                model.release((lease) => model.isLive(lease) && lease.holder === action.run && action.names.includes(lease.limit))
              } else {
                // A lease of another run stays.
                const leaseId = leases.at(-1 - action.lease)
                if (leaseId === undefined) continue
                slots.release(action.run, [], leaseId)
                const isMeant = (lease: ModelLease) => lease.leaseId === leaseId && lease.holder === action.run
                if (model.leases.some((lease) => isMeant(lease) && model.isLive(lease)))
                  model.release((lease) => isMeant(lease) && model.isLive(lease))
                else model.leases = model.leases.filter((lease) => !isMeant(lease))
              }
              for (const name of Object.keys(limitSlots) as LimitName[]) {
                const usage = slots.usage(name)
                expect(usage?.free).toBe(Math.max(0, limitSlots[name] - Math.ceil(model.used(name) - 1e-9)))
                expect([...(usage?.holders ?? [])].sort()).toEqual(model.holders(name).sort())
              }
            }
            await tx.write(ledger.writes(tx.dialect))
          })
        } else {
          await context.commands.submit(async (tx) => {
            const ledger = await RequestLedger.load(tx, context, { names: Object.keys(limitSlots), leases })
            for (const action of batch.actions) {
              if (action.kind === 'acquire') {
                const limits = ledger.limitsByName(action.names)
                if (limits.some((limit) => !ledger.hasFreeSlots(limit, action.slots))) continue
                const leaseId = ledger.acquire(limits, action.slots, { seconds: action.seconds, holder: null })
                leases.push(leaseId)
                model.acquire(leaseId, action.names, action.slots, null, action.seconds)
              } else {
                const leaseId = leases.at(-1 - action.lease)
                if (leaseId === undefined) continue
                const rows = model.leases.filter((lease) => lease.leaseId === leaseId)
                if (action.kind === 'end') {
                  ledger.releaseLease(leaseId)
                  model.release((lease) => lease.leaseId === leaseId)
                } else {
                  const late = rows.filter((lease) => !model.isLive(lease))
                  const isTooLate = rows.length === 0 || late.some(({ expires }) => (expires as number) + graceSeconds * 1e6 <= model.now)
                  const isTaken = late.some(({ limit, slots }) => limit !== 'rate' && model.used(limit) + slots > limitSlots[limit])
                  expect(ledger.renew(leaseId, 20.5, graceSeconds)).toBe(!isTooLate && !isTaken)
                  if (isTooLate) continue
                  if (isTaken) model.release((lease) => lease.leaseId === leaseId)
                  else for (const lease of rows) lease.expires = model.now + 20.5 * 1e6
                }
              }
              for (const limit of ledger.limitsByName(Object.keys(limitSlots)))
                expect(ledger.usedSlots(limit)).toBeCloseTo(model.used(limit.name as LimitName), 3)
            }
            await ledger.flush(tx)
          })
        }
        const expected = Object.fromEntries((Object.keys(limitSlots) as LimitName[]).map((name) => [name, sum(model.ofLimit(name))]))
        expect({ a: 0, b: 0, rate: 0, ...(await readLeasedSlots(app, clock.now())) }).toEqual(expected)
        const { decaying_slots, settled } = await context.reads.kysely
          .selectFrom('concurrency_limit')
          .select(['decaying_slots', 'settled'])
          .where('name', '=', 'rate')
          .executeTakeFirstOrThrow()
        expect(Math.max(0, decaying_slots - (decayPerSecond * Math.max(0, clock.now() - settled)) / 1e6)).toBeCloseTo(model.level(), 3)
      }
    }
    const numRuns = dialect === 'postgres' ? 40 : 120
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), scenario), { numRuns, examples: [[lostLease]] })
  }, 120_000)
})

const sum = (leases: readonly ModelLease[]): number => leases.reduce((total, { slots }) => total + slots, 0)

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
