import { addSeconds, type Micros } from '../../lib/time.ts'
import type { Dialect, Write } from '../../storage/dialect.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { decayingSlots, deniedSlots, hasDecay, type LimitRow, type WaitSettings } from './decay.ts'
import { deletionOfLeaseRows, deletionOfLeases, isAnonymous, isLive, type LeaseRow } from './lease-store.ts'

/** Duration and holder of a lease. Slots that are acquired without terms are anonymous: any caller may release as many. */
export interface LeaseTerms {
  readonly seconds: number | null
  readonly holder: { readonly type: string; readonly id: string } | null
}

/** Rows of one limit in the order in which anonymous releases use them up. */
interface ReleaseOrder {
  readonly anonymous: Set<LeaseRow>
  readonly leased: Set<LeaseRow>
}

/**
 * The limits of a batch, locked until the commit, with the slots in use. Each command sees the effects of those before it. `writes` are the result, a constant
 * number of statements.
 *
 * A slot in use is a live lease; there is no counter that could drift from the leases.
 */
export class SlotLedger {
  readonly now: Micros
  readonly #newId: () => string
  readonly #waits: WaitSettings
  protected readonly byId = new Map<string, LimitRow>()
  protected readonly byName = new Map<string, LimitRow>()
  readonly #used: Map<string, number>
  protected readonly byLease = new Map<string, LeaseRow[]>()
  readonly #byHolder = new Map<string, LeaseRow[]>()
  protected readonly byLimit = new Map<string, ReleaseOrder>()
  readonly #inserted = new Set<LeaseRow>()
  readonly #updated = new Set<LeaseRow>()
  readonly #deleted = new Set<LeaseRow>()
  readonly #updatedLimits = new Set<LimitRow>()
  /** Leases, with their holders, to delete without having read them. */
  readonly #unreadLeases: { readonly leaseId: string; readonly holder: string }[] = []
  /** Whether slots became free. */
  hasReleased = false

  protected constructor({ newId, config }: ServerContext, now: Micros, limits: readonly LimitRow[], used: Map<string, number>) {
    this.now = now
    this.#newId = newId
    this.#waits = config.concurrency
    this.#used = used
    for (const limit of limits) {
      this.byId.set(limit.id, limit)
      this.byName.set(limit.name, limit)
    }
  }

  /** A ledger of locked limits with all their live leases, so that `holdersOf` and `leasesHeldBy` cover all holders. */
  static of(context: ServerContext, now: Micros, limits: readonly LimitRow[], live: readonly LeaseRow[]): SlotLedger {
    return new SlotLedger(context, now, limits, sumSlots(live)).indexAll([], live)
  }

  limitByName(name: string): LimitRow | undefined {
    return this.byName.get(name)
  }

  /** Slots in use; fractional for a limit with decay. */
  usedSlots(limit: LimitRow): number {
    return hasDecay(limit) ? decayingSlots(limit, this.now) : (this.#used.get(limit.id) ?? 0)
  }

  /** Holder ids of the loaded leases of a limit, one for each lease. */
  holdersOf(limit: LimitRow): string[] {
    const holders: string[] = []
    for (const { holder_id } of this.byLimit.get(limit.id)?.leased ?? []) if (holder_id !== null) holders.push(holder_id)
    return holders
  }

  leasesHeldBy(holder: string): readonly LeaseRow[] {
    return this.#byHolder.get(holder) ?? []
  }

  /** Acquires slots of each limit, even of a full one, and returns the lease id. Of an inactive limit the lease holds no slots. */
  acquire(limits: readonly LimitRow[], slots: number, terms: LeaseTerms | null): string {
    const lease_id = this.#newId()
    for (const limit of limits) {
      const acquired = toBoolean(limit.active) ? slots : 0
      if (hasDecay(limit)) this.setDecayingSlots(limit, this.usedSlots(limit) + acquired)
      else this.adjustUsed(limit, acquired)
      // Decaying slots return by themselves. They need a row only for a lease that clients renew and end.
      if (terms || (acquired > 0 && !hasDecay(limit))) this.#insert(lease_id, limit.id, acquired, terms)
    }
    if (terms && limits.length === 0) this.#insert(lease_id, null, 0, terms)
    return lease_id
  }

  /** Ends one row of a lease. Records no occupancy, because that would update the limit's row at every end of a run. */
  releaseRow(row: LeaseRow): void {
    this.returnToLimit(row)
    this.remove(row)
  }

  /** Deletes a lease of a limit that was not loaded, if it belongs to the holder. Decaying slots are not returned early. */
  releaseUnread(leaseId: string, holder: string): void {
    this.#unreadLeases.push({ leaseId, holder })
    this.hasReleased = true
  }

  /** Sets the expiry of a live lease row; null keeps it until it is released. */
  extend(row: LeaseRow, seconds: number | null): void {
    row.expires = seconds === null ? null : addSeconds(this.now, seconds)
    this.markUpdated(row)
  }

  /** Recently denied slots, which estimate the length of the queue. */
  deniedSlots(limit: LimitRow): number {
    return deniedSlots(limit, this.now, this.#waits)
  }

  setDecayingSlots(limit: LimitRow, slots: number): void {
    this.settleDecay(limit)
    limit.decaying_slots = slots
  }

  /** What has changed. */
  writes(dialect: Dialect): Write[] {
    const writes: Write[] = []
    if (this.#inserted.size > 0) writes.push({ insert: 'concurrency_lease', rows: [...this.#inserted] })
    const leases = [...this.#updated].map(({ id, slots, expires }) => ({ id, slots, expires }))
    if (leases.length > 0) writes.push({ update: 'concurrency_lease', rows: leases })
    const limits = [...this.#updatedLimits].map(({ id, decaying_slots, denied_slots, settled, avg_slot_occupancy_seconds }) => ({
      id,
      decaying_slots,
      denied_slots,
      settled,
      avg_slot_occupancy_seconds,
    }))
    if (limits.length > 0) writes.push({ update: 'concurrency_limit', rows: limits })
    if (this.#deleted.size > 0)
      writes.push(
        deletionOfLeaseRows(
          dialect,
          [...this.#deleted].map(({ id }) => id),
        ),
      )
    if (this.#unreadLeases.length > 0) writes.push(deletionOfLeases(dialect, this.#unreadLeases))
    return writes
  }

  protected returnToLimit(row: LeaseRow): LimitRow | undefined {
    this.hasReleased = true
    const limit = row.limit_id === null ? undefined : this.byId.get(row.limit_id)
    if (!limit) return undefined
    if (hasDecay(limit)) this.setDecayingSlots(limit, Math.max(0, this.usedSlots(limit) - row.slots))
    else if (isLive(row, this.now)) this.adjustUsed(limit, -row.slots)
    return limit
  }

  protected settleDecay(limit: LimitRow): void {
    const [decaying, denied] = [decayingSlots(limit, this.now), this.deniedSlots(limit)]
    limit.decaying_slots = decaying
    limit.denied_slots = denied
    limit.settled = this.now
    this.#updatedLimits.add(limit)
  }

  protected adjustUsed(limit: LimitRow, slots: number): void {
    this.#used.set(limit.id, (this.#used.get(limit.id) ?? 0) + slots)
  }

  #insert(lease_id: string, limit_id: string | null, slots: number, terms: LeaseTerms | null): void {
    const row: LeaseRow = {
      id: this.#newId(),
      lease_id,
      limit_id,
      slots,
      holder_type: terms?.holder?.type ?? null,
      holder_id: terms?.holder?.id ?? null,
      created: this.now,
      expires: terms && terms.seconds !== null ? addSeconds(this.now, terms.seconds) : null,
    }
    this.#index(row)
    this.#inserted.add(row)
  }

  /** `others` may repeat rows of `selected`: those are skipped. */
  protected indexAll(selected: readonly LeaseRow[], others: readonly LeaseRow[] = []): this {
    for (const row of selected) this.#index(row)
    const known = new Set(selected.map(({ id }) => id))
    for (const row of others) if (!known.has(row.id)) this.#index(row)
    return this
  }

  #index(row: LeaseRow): void {
    push(this.byLease, row.lease_id, row)
    if (row.holder_id !== null) push(this.#byHolder, row.holder_id, row)
    if (row.limit_id === null) return
    const order = this.byLimit.get(row.limit_id) ?? { anonymous: new Set(), leased: new Set() }
    this.byLimit.set(row.limit_id, order)
    order[isAnonymous(row) ? 'anonymous' : 'leased'].add(row)
  }

  protected markUpdated(row: LeaseRow): void {
    if (!this.#inserted.has(row)) this.#updated.add(row)
  }

  protected remove(row: LeaseRow): void {
    removeFrom(this.byLease.get(row.lease_id), row)
    if (row.holder_id !== null) removeFrom(this.#byHolder.get(row.holder_id), row)
    const order = row.limit_id === null ? undefined : this.byLimit.get(row.limit_id)
    order?.anonymous.delete(row)
    order?.leased.delete(row)
    this.#updated.delete(row)
    if (!this.#inserted.delete(row)) this.#deleted.add(row)
  }
}

function sumSlots(leases: readonly LeaseRow[]): Map<string, number> {
  const used = new Map<string, number>()
  for (const { limit_id, slots } of leases) if (limit_id !== null) used.set(limit_id, (used.get(limit_id) ?? 0) + slots)
  return used
}

function push(lists: Map<string, LeaseRow[]>, key: string, row: LeaseRow): void {
  const list = lists.get(key)
  if (list) list.push(row)
  else lists.set(key, [row])
}

function removeFrom(list: LeaseRow[] | undefined, row: LeaseRow): void {
  const index = list?.indexOf(row) ?? -1
  if (index >= 0) list?.splice(index, 1)
}
