import { addSeconds, type Micros } from '../../lib/time.ts'
import type { LimitUsage, RunSlots } from '../../orchestration/rule.ts'
import { statement, type Tx } from '../../storage/database.ts'
import { type Row, toBoolean } from '../../storage/tables.ts'
import { decayingSlots, deniedSlotsByRate, hasDecay, type LimitRow, wholeSlots } from './decay.ts'

type Limit = Pick<LimitRow, 'id' | 'name' | 'slots' | 'active' | 'slot_decay_per_second' | 'decaying_slots' | 'denied_slots' | 'settled'>
type Lease = Row<'concurrency_lease'>

const limitsByName = statement(
  (dialect) =>
    `select id, name, slots, active, slot_decay_per_second, decaying_slots, denied_slots, settled from concurrency_limit where ${dialect.inList('name', '$1', 'text')} order by id ${dialect.forUpdate}`,
)
const liveLeases = statement(
  (dialect) => `select * from concurrency_lease where ${dialect.inList('limit_id', '$1', 'uuid')} and (expires is null or expires > $2)`,
)
const removeRows = statement((dialect) => `delete from concurrency_lease where ${dialect.inList('id', '$1', 'uuid')}`)
const removeLeases = statement(
  (dialect) => `delete from concurrency_lease where ${dialect.inList('lease_id', '$1', 'uuid')} and ${dialect.inList('holder_id', '$2', 'text')}`,
)

/** The limits that a batch of transitions is about, as they stand; what is taken and given back is written by `flush`. */
export interface FlushableRunSlots extends RunSlots {
  flush(): Promise<void>
}

/**
 * Reads the named limits and locks them to the commit, so that two replicas cannot both take the last slot. A slot in use is a
 * lease that has not expired: there is no counter that could drift from it.
 */
export async function loadRunSlots(tx: Tx, names: ReadonlySet<string>, now: Micros, newId: () => string): Promise<FlushableRunSlots> {
  const limits = names.size === 0 ? [] : await tx.all<Limit>(limitsByName, [tx.dialect.list([...names])])
  const leases = limits.length === 0 ? [] : await tx.all<Lease>(liveLeases, [tx.dialect.list(limits.map(({ id }) => id)), now])
  return new LoadedRunSlots(tx, limits, leases, now, newId)
}

class LoadedRunSlots implements FlushableRunSlots {
  readonly #tx: Tx
  readonly #now: Micros
  readonly #newId: () => string
  readonly #limits: ReadonlyMap<string, Limit>
  readonly #byId: ReadonlyMap<string | null, Limit>
  #leases: Lease[]
  readonly #inserted = new Set<Lease>()
  readonly #renewed = new Set<Lease>()
  readonly #deletedIds = new Set<string>()
  /** Limits with decay of which slots were taken or given back: those are no leases but a level. */
  readonly #updatedLimits = new Set<Limit>()
  /** Leases to end, with their holders, whose limits nobody asked about: the deployment may have another one by now. */
  readonly #leasesOfOtherLimits = new Map<string, string>()

  constructor(tx: Tx, limits: readonly Limit[], leases: Lease[], now: Micros, newId: () => string) {
    this.#tx = tx
    this.#now = now
    this.#newId = newId
    this.#limits = new Map(limits.map((limit) => [limit.name, limit]))
    this.#byId = new Map(limits.map((limit) => [limit.id, limit]))
    this.#leases = leases
  }

  usage(name: string): LimitUsage | undefined {
    const limit = this.#limits.get(name)
    if (!limit) return undefined
    const held = this.#leases.filter(({ limit_id }) => limit_id === limit.id)
    return {
      slots: limit.slots,
      free: Math.max(0, limit.slots - this.#used(limit, held)),
      holders: held.flatMap(({ holder_id }) => (holder_id === null ? [] : [holder_id])),
      active: toBoolean(limit.active),
    }
  }

  acquire(names: readonly string[], holder: string, seconds: number | null): string {
    const lease_id = this.#newId()
    for (const name of names) {
      const limit = this.#limits.get(name) as Limit
      if (hasDecay(limit)) this.#setDecayingSlots(limit, decayingSlots(limit, this.#now) + 1)
      const lease: Lease = {
        id: this.#newId(),
        lease_id,
        limit_id: limit.id,
        slots: 1,
        holder_type: name.startsWith('tag:') ? 'task_run' : 'flow_run',
        holder_id: holder,
        created: this.#now,
        expires: seconds === null ? null : addSeconds(this.#now, seconds),
      }
      this.#leases.push(lease)
      this.#inserted.add(lease)
    }
    return lease_id
  }

  renew(holder: string, names: readonly string[], seconds: number | null): string {
    const held = this.#leasesHeldBy(holder, names)
    const first = held[0]
    if (!first) return this.acquire(names, holder, seconds)
    for (const lease of held) {
      lease.expires = seconds === null ? null : addSeconds(this.#now, seconds)
      if (!this.#inserted.has(lease)) this.#renewed.add(lease)
    }
    return first.lease_id
  }

  release(holder: string, names: readonly string[], leaseId?: string | null): void {
    const given = new Set(this.#leasesHeldBy(holder, names))
    // Clients send lease ids along with states: only the holder's own lease is the holder's to give back.
    for (const lease of this.#leases) if (lease.lease_id === leaseId && lease.holder_id === holder) given.add(lease)
    if (leaseId && given.size === 0) this.#leasesOfOtherLimits.set(leaseId, holder)
    this.#leases = this.#leases.filter((lease) => !given.has(lease))
    for (const lease of given) {
      const limit = this.#byId.get(lease.limit_id)
      if (limit && hasDecay(limit)) this.#setDecayingSlots(limit, Math.max(0, decayingSlots(limit, this.#now) - lease.slots))
      this.#renewed.delete(lease)
      if (!this.#inserted.delete(lease)) this.#deletedIds.add(lease.id)
    }
  }

  async flush(): Promise<void> {
    await this.#tx.insert('concurrency_lease', [...this.#inserted])
    await this.#tx.update(
      'concurrency_lease',
      [...this.#renewed].map(({ id, expires }) => ({ id, expires })),
    )
    await this.#tx.update(
      'concurrency_limit',
      [...this.#updatedLimits].map(({ id, decaying_slots, denied_slots, settled }) => ({ id, decaying_slots, denied_slots, settled })),
    )
    const { dialect } = this.#tx
    if (this.#deletedIds.size > 0) await this.#tx.run(removeRows, [dialect.list([...this.#deletedIds])])
    if (this.#leasesOfOtherLimits.size > 0)
      await this.#tx.run(removeLeases, [dialect.list([...this.#leasesOfOtherLimits.keys()]), dialect.list([...this.#leasesOfOtherLimits.values()])])
    if (this.#deletedIds.size + this.#leasesOfOtherLimits.size > 0) this.#tx.notify('slots')
  }

  /** Slots in use; of a limit with decay, what has begun to fade still counts as one. */
  #used(limit: Limit, held: readonly Lease[]): number {
    return hasDecay(limit) ? wholeSlots(decayingSlots(limit, this.#now)) : held.reduce((sum, { slots }) => sum + slots, 0)
  }

  #setDecayingSlots(limit: Limit, slots: number): void {
    limit.denied_slots = deniedSlotsByRate(limit, this.#now)
    limit.decaying_slots = slots
    limit.settled = this.#now
    this.#updatedLimits.add(limit)
  }

  #leasesHeldBy(holder: string, names: readonly string[]): Lease[] {
    const ids = new Set<string | null | undefined>(names.map((name) => this.#limits.get(name)?.id))
    return this.#leases.filter((lease) => lease.holder_id === holder && ids.has(lease.limit_id))
  }
}
