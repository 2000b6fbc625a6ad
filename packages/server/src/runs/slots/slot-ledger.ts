import { addSeconds, type Micros, secondsBetween } from '../../lib/time.ts'
import type { Tx } from '../../storage/database.ts'
import type { Dialect, Write } from '../../storage/dialect.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { averageOccupancy, decayingSlots, deniedSlots, hasDecay, type LimitRow, type WaitSettings } from './decay.ts'
import {
  deletionOfLeaseRows,
  deletionOfLeases,
  isAnonymous,
  isLive,
  type LeaseRow,
  lockLimits,
  readInReleaseOrder,
  readLeases,
  readLimitsOfLeases,
  readUsedSlots,
} from './lease-store.ts'

/** The limits and leases that a batch needs. All of them are loaded at once. */
export interface LedgerScope {
  readonly names?: readonly string[]
  readonly ids?: readonly string[]
  readonly leases?: readonly string[]
  readonly holders?: readonly string[]
  /** Upper bound of the slots of the named limits that the batch releases without a lease. */
  readonly anonymousSlots?: number
}

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
 * The limits of a batch of requests, locked until the commit, with the slots in use. Each request sees the effects of the
 * requests before it. `writes` are the result, a constant number of statements.
 *
 * A slot in use is a live lease; there is no counter that could drift from the leases.
 */
export class SlotLedger {
  readonly now: Micros
  readonly #newId: () => string
  readonly #waits: WaitSettings
  readonly #byId = new Map<string, LimitRow>()
  readonly #byName = new Map<string, LimitRow>()
  readonly #used: Map<string, number>
  readonly #byLease = new Map<string, LeaseRow[]>()
  readonly #byHolder = new Map<string, LeaseRow[]>()
  readonly #byLimit = new Map<string, ReleaseOrder>()
  readonly #inserted = new Set<LeaseRow>()
  readonly #updated = new Set<LeaseRow>()
  readonly #deleted = new Set<LeaseRow>()
  readonly #updatedLimits = new Set<LimitRow>()
  /** Leases, with their holders, to delete without having read them. */
  readonly #unreadLeases: { readonly leaseId: string; readonly holder: string }[] = []
  #hasReleased = false

  private constructor({ newId, config }: ServerContext, now: Micros, limits: readonly LimitRow[], used: Map<string, number>) {
    this.now = now
    this.#newId = newId
    this.#waits = config.concurrency
    this.#used = used
    for (const limit of limits) {
      this.#byId.set(limit.id, limit)
      this.#byName.set(limit.name, limit)
    }
  }

  static async load(tx: Tx, context: ServerContext, scope: LedgerScope): Promise<SlotLedger> {
    const now = context.clock.now()
    const selection = { leases: scope.leases ?? [], holders: scope.holders ?? [] }
    const selectsLeases = selection.leases.length + selection.holders.length > 0
    const leasedLimits = selectsLeases ? await readLimitsOfLeases(tx, selection) : []
    const limits = await lockLimits(tx, scope.names ?? [], [...leasedLimits, ...(scope.ids ?? [])])
    const limitIds = limits.map(({ id }) => id)
    // Read under the lock: no other transaction changes leases of these limits now.
    const selected = selectsLeases ? await readLeases(tx, selection) : []
    if (limits.length === 0) return new SlotLedger(context, now, limits, new Map()).#indexAll(selected)
    const used = await readUsedSlots(tx, limitIds, now)
    const releasable = scope.anonymousSlots ? await readInReleaseOrder(tx, limitIds, now, scope.anonymousSlots) : []
    return new SlotLedger(context, now, limits, used).#indexAll(selected, releasable)
  }

  /** A ledger of locked limits with all their live leases, so that `holdersOf` and `leasesHeldBy` cover all holders. */
  static of(context: ServerContext, now: Micros, limits: readonly LimitRow[], live: readonly LeaseRow[]): SlotLedger {
    return new SlotLedger(context, now, limits, sumSlots(live)).#indexAll([], live)
  }

  /** The limits with these names, without duplicates, sorted by name. Names without a limit are skipped. */
  limitsByName(names: readonly string[]): LimitRow[] {
    return [...new Set(names)].sort().flatMap((name) => this.#byName.get(name) ?? [])
  }

  limitByName(name: string): LimitRow | undefined {
    return this.#byName.get(name)
  }

  limit(id: string): LimitRow | undefined {
    return this.#byId.get(id)
  }

  /** Slots in use; fractional for a limit with decay. */
  usedSlots(limit: LimitRow): number {
    return hasDecay(limit) ? decayingSlots(limit, this.now) : (this.#used.get(limit.id) ?? 0)
  }

  hasFreeSlots(limit: LimitRow, slots: number): boolean {
    return this.usedSlots(limit) + slots <= limit.slots + 1e-9
  }

  /** Holder ids of the loaded leases of a limit, one for each lease. */
  holdersOf(limit: LimitRow): string[] {
    const holders: string[] = []
    for (const { holder_id } of this.#byLimit.get(limit.id)?.leased ?? []) if (holder_id !== null) holders.push(holder_id)
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
      else this.#adjustUsed(limit, acquired)
      // Decaying slots return by themselves. They need a row only for a lease that clients renew and end.
      if (terms || (acquired > 0 && !hasDecay(limit))) this.#insert(lease_id, limit.id, acquired, terms)
    }
    if (terms && limits.length === 0) this.#insert(lease_id, null, 0, terms)
    return lease_id
  }

  /** Releases slots regardless of their holder, at most those in use. A lease that loses its slots can still be renewed and ended. */
  releaseAnonymous(limit: LimitRow, slots: number): void {
    this.#hasReleased = true
    if (hasDecay(limit)) {
      this.setDecayingSlots(limit, Math.max(0, this.usedSlots(limit) - slots))
      return
    }
    const order = this.#byLimit.get(limit.id)
    let rest = Math.min(slots, this.usedSlots(limit))
    for (const rows of order ? [order.anonymous, order.leased] : []) {
      for (const row of rows) {
        if (rest <= 0) return
        const released = isLive(row, this.now) ? Math.min(rest, row.slots) : 0
        rest -= released
        row.slots -= released
        this.#adjustUsed(limit, -released)
        if (released > 0) this.#markUpdated(row)
        if (row.slots > 0 && released > 0) continue
        rows.delete(row)
        if (released > 0 && rows === order?.anonymous) this.#remove(row)
      }
    }
  }

  /** Ends a lease and returns its slots. A missing lease is ignored. */
  releaseLease(leaseId: string): void {
    for (const row of [...(this.#byLease.get(leaseId) ?? [])]) {
      this.returnSlots(row)
      this.#remove(row)
    }
  }

  /** Returns the slots of a lease row to its limit and records how long they were held. The caller removes the row. */
  returnSlots(row: LeaseRow): void {
    const limit = this.#returnToLimit(row)
    if (limit && toBoolean(limit.active)) this.recordOccupancy(limit, row.slots, secondsBetween(row.created, this.now))
  }

  /** Ends one row of a lease. Records no occupancy, because that would update the limit's row at every end of a run. */
  releaseRow(row: LeaseRow): void {
    this.#returnToLimit(row)
    this.#remove(row)
  }

  /** Deletes a lease of a limit that was not loaded, if it belongs to the holder. Decaying slots are not returned early. */
  releaseUnread(leaseId: string, holder: string): void {
    this.#unreadLeases.push({ leaseId, holder })
    this.#hasReleased = true
  }

  /** Updates the average time that slots are held, the basis of retry estimates. */
  recordOccupancy(limit: LimitRow, slots: number, seconds: number): void {
    this.#settleDecay(limit)
    limit.avg_slot_occupancy_seconds = averageOccupancy(limit, slots, seconds)
  }

  /**
   * Extends a lease to the given seconds from now. A lease that expired within the grace period is revived if its slots are still free,
   * so that a late message does not end a healthy run. Returns false if the lease is missing, too old, or its slots are taken; in the last case
   * it ends, and what it still holds of other limits is free again.
   */
  renew(leaseId: string, seconds: number, graceSeconds: number): boolean {
    const rows = this.#byLease.get(leaseId) ?? []
    const late = rows.filter((row) => !isLive(row, this.now))
    if (rows.length === 0 || late.some(({ expires }) => addSeconds(expires as Micros, graceSeconds) <= this.now)) return false
    const limits = new Map(late.map((row) => [row, row.limit_id === null ? undefined : this.#byId.get(row.limit_id)]))
    const isTaken = [...limits].some(([row, limit]) => limit && toBoolean(limit.active) && !hasDecay(limit) && !this.hasFreeSlots(limit, row.slots))
    if (isTaken) {
      this.releaseLease(leaseId)
      return false
    }
    for (const [row, limit] of limits) if (limit && !hasDecay(limit)) this.#adjustUsed(limit, row.slots)
    for (const row of rows) this.extend(row, seconds)
    return true
  }

  /** Sets the expiry of a live lease row; null keeps it until it is released. */
  extend(row: LeaseRow, seconds: number | null): void {
    row.expires = seconds === null ? null : addSeconds(this.now, seconds)
    this.#markUpdated(row)
  }

  deniedSlots(limit: LimitRow): number {
    return deniedSlots(limit, this.now, this.#waits)
  }

  /** Counts denied slots, which estimate the length of the queue. Returns the count before this denial. */
  recordDenial(limit: LimitRow, slots: number): number {
    this.#settleDecay(limit)
    const before = limit.denied_slots
    limit.denied_slots += slots
    return before
  }

  setDecayingSlots(limit: LimitRow, slots: number): void {
    this.#settleDecay(limit)
    limit.decaying_slots = slots
  }

  /** Whether slots became free. */
  get hasReleased(): boolean {
    return this.#hasReleased
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

  async flush(tx: Tx): Promise<void> {
    await tx.write(this.writes(tx.dialect))
    if (this.#hasReleased) tx.notify('slots')
  }

  #returnToLimit(row: LeaseRow): LimitRow | undefined {
    this.#hasReleased = true
    const limit = row.limit_id === null ? undefined : this.#byId.get(row.limit_id)
    if (!limit) return undefined
    if (hasDecay(limit)) this.setDecayingSlots(limit, Math.max(0, this.usedSlots(limit) - row.slots))
    else if (isLive(row, this.now)) this.#adjustUsed(limit, -row.slots)
    return limit
  }

  #settleDecay(limit: LimitRow): void {
    const [decaying, denied] = [decayingSlots(limit, this.now), this.deniedSlots(limit)]
    limit.decaying_slots = decaying
    limit.denied_slots = denied
    limit.settled = this.now
    this.#updatedLimits.add(limit)
  }

  #adjustUsed(limit: LimitRow, slots: number): void {
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
  #indexAll(selected: readonly LeaseRow[], others: readonly LeaseRow[] = []): this {
    for (const row of selected) this.#index(row)
    const known = new Set(selected.map(({ id }) => id))
    for (const row of others) if (!known.has(row.id)) this.#index(row)
    return this
  }

  #index(row: LeaseRow): void {
    push(this.#byLease, row.lease_id, row)
    if (row.holder_id !== null) push(this.#byHolder, row.holder_id, row)
    if (row.limit_id === null) return
    const order = this.#byLimit.get(row.limit_id) ?? { anonymous: new Set(), leased: new Set() }
    this.#byLimit.set(row.limit_id, order)
    order[isAnonymous(row) ? 'anonymous' : 'leased'].add(row)
  }

  #markUpdated(row: LeaseRow): void {
    if (!this.#inserted.has(row)) this.#updated.add(row)
  }

  #remove(row: LeaseRow): void {
    removeFrom(this.#byLease.get(row.lease_id), row)
    if (row.holder_id !== null) removeFrom(this.#byHolder.get(row.holder_id), row)
    const order = row.limit_id === null ? undefined : this.#byLimit.get(row.limit_id)
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
