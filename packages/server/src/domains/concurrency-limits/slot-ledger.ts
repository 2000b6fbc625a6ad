import { addSeconds, type Micros, secondsBetween } from '../../lib/time.ts'
import type { Tx } from '../../storage/database.ts'
import { toBoolean } from '../../storage/tables.ts'
import { averageOccupancy, decayingSlots, deniedSlots, hasDecay, type LimitRow, type WaitSettings } from './decay.ts'
import {
  deleteLeaseRows,
  isAnonymous,
  isLive,
  type LeaseRow,
  lockLimits,
  readInReleaseOrder,
  readLeases,
  readLimitsOfLeases,
  readUsedSlots,
} from './lease-store.ts'

/** What a batch is about; the book is opened with all of it at once. */
export interface LedgerScope {
  readonly names?: readonly string[]
  readonly ids?: readonly string[]
  readonly leases?: readonly string[]
  readonly holders?: readonly string[]
  /** How many slots of the named limits may have to be given back without a lease. */
  readonly anonymousSlots?: number
}

export interface LedgerContext extends WaitSettings {
  readonly now: Micros
  newId(): string
}

/** On what terms slots are taken: for how long, and by whom. Without terms they are simply taken, and somebody gives as many back. */
export interface LeaseTerms {
  readonly seconds: number | null
  readonly holder: { readonly type: string; readonly id: string } | null
}

/**
 * The limits that a batch of requests is about, locked to the commit, with what is taken of them. Requests take and give back in
 * turn, each seeing what those before it did; `flush` writes what came of it in a constant number of statements.
 */
export class SlotLedger {
  readonly #tx: Tx
  readonly #context: LedgerContext
  readonly #limits: readonly LimitRow[]
  readonly #byId: ReadonlyMap<string, LimitRow>
  readonly #used: Map<string, number>
  readonly #rowIds = new Set<string>()
  readonly #byLease = new Map<string, LeaseRow[]>()
  readonly #byHolder = new Map<string, LeaseRow[]>()
  /** For each limit its rows in the order in which they go when nobody says whose. */
  readonly #releaseOrder = new Map<string, { readonly loose: LeaseRow[]; readonly owned: LeaseRow[] }>()
  readonly #inserted = new Set<LeaseRow>()
  readonly #updated = new Set<LeaseRow>()
  readonly #deleted = new Set<LeaseRow>()
  readonly #updatedLimits = new Set<LimitRow>()
  #hasReleased = false

  private constructor(tx: Tx, ledgerContext: LedgerContext, limits: readonly LimitRow[], used: Map<string, number>, rows: readonly LeaseRow[]) {
    this.#tx = tx
    this.#context = ledgerContext
    this.#limits = limits
    this.#byId = new Map(limits.map((limit) => [limit.id, limit]))
    this.#used = used
    for (const row of rows) this.#index(row)
  }

  static async load(tx: Tx, needs: LedgerScope, ledgerContext: LedgerContext): Promise<SlotLedger> {
    const whose = { leases: needs.leases ?? [], holders: needs.holders ?? [] }
    const isAboutLeases = whose.leases.length + whose.holders.length > 0
    const ids = isAboutLeases ? await readLimitsOfLeases(tx, whose) : []
    const limits = await lockLimits(tx, needs.names ?? [], [...ids, ...(needs.ids ?? [])])
    const limitIds = limits.map(({ id }) => id)
    // Only under the lock do the leases stand still.
    const rows = isAboutLeases ? await readLeases(tx, whose) : []
    const used = limits.length === 0 ? new Map<string, number>() : await readUsedSlots(tx, limitIds, ledgerContext.now)
    if (needs.anonymousSlots && limits.length > 0) rows.push(...(await readInReleaseOrder(tx, limitIds, ledgerContext.now, needs.anonymousSlots)))
    return new SlotLedger(tx, ledgerContext, limits, used, rows)
  }

  /** The limits by these names, each once, in the order of their names; names without a limit say nothing. */
  limitsByName(names: readonly string[]): LimitRow[] {
    const wanted = new Set(names)
    return this.#limits.filter(({ name }) => wanted.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  limit(id: string): LimitRow | undefined {
    return this.#byId.get(id)
  }

  /** Slots in use, with fractions where they fade. */
  usedSlots(limit: LimitRow): number {
    return hasDecay(limit) ? decayingSlots(limit, this.#context.now) : (this.#used.get(limit.id) ?? 0)
  }

  hasFreeSlots(limit: LimitRow, slots: number): boolean {
    return this.usedSlots(limit) + slots <= limit.slots + 1e-9
  }

  /** Takes slots of each limit, room or not; the lease's id. A limit that is switched off is noted in the lease and gives none. */
  acquire(limits: readonly LimitRow[], slots: number, terms: LeaseTerms | null): string {
    const lease_id = this.#context.newId()
    for (const limit of limits) {
      const taken = toBoolean(limit.active) ? slots : 0
      if (hasDecay(limit)) this.setDecayingSlots(limit, this.usedSlots(limit) + taken)
      else this.#adjustUsed(limit, taken)
      // What fades needs no row to come back, nor does what was not taken; only a lease must be there to be renewed and ended.
      if (terms || (taken > 0 && !hasDecay(limit))) this.#add(lease_id, limit.id, taken, terms)
    }
    if (terms && limits.length === 0) this.#add(lease_id, null, 0, terms)
    return lease_id
  }

  /** Gives back slots without saying whose, never more than are in use. A lease that loses its slots this way can still be renewed and ended. */
  releaseAnonymous(limit: LimitRow, slots: number): void {
    this.#hasReleased = true
    if (hasDecay(limit)) {
      this.setDecayingSlots(limit, Math.max(0, this.usedSlots(limit) - slots))
      return
    }
    const queues = this.#releaseOrder.get(limit.id)
    let rest = Math.min(slots, this.usedSlots(limit))
    for (const queue of queues ? [queues.loose, queues.owned] : []) {
      while (rest > 0 && queue[0]) {
        const row = queue[0]
        const given = this.#rowIds.has(row.id) && isLive(row, this.#context.now) ? Math.min(rest, row.slots) : 0
        rest -= given
        row.slots -= given
        this.#adjustUsed(limit, -given)
        if (given > 0) this.#markUpdated(row)
        // Used up, or ended by somebody earlier in the batch.
        if (row.slots === 0 || given === 0) queue.shift()
        if (given > 0 && row.slots === 0 && queue === queues?.loose) this.#remove(row)
      }
    }
  }

  /** The ids of the leases that a holder has on any of the limits. */
  leaseIdsOf(holder: string, limits: readonly LimitRow[]): string[] {
    const ids = new Set<string | null>(limits.map(({ id }) => id))
    return [...new Set((this.#byHolder.get(holder) ?? []).filter(({ limit_id }) => ids.has(limit_id)).map(({ lease_id }) => lease_id))]
  }

  /** Ends a lease, if it is there: what it held comes back. */
  releaseLease(leaseId: string): void {
    for (const row of [...(this.#byLease.get(leaseId) ?? [])]) {
      this.returnSlots(row)
      this.#remove(row)
    }
  }

  /** What a lease held comes back to its limit; its row is removed by the caller. */
  returnSlots(row: LeaseRow): void {
    this.#hasReleased = true
    const limit = row.limit_id === null ? undefined : this.#byId.get(row.limit_id)
    if (!limit) return
    if (hasDecay(limit)) this.setDecayingSlots(limit, Math.max(0, this.usedSlots(limit) - row.slots))
    else if (isLive(row, this.#context.now)) this.#adjustUsed(limit, -row.slots)
    if (toBoolean(limit.active)) this.recordOccupancy(limit, row.slots, secondsBetween(row.created, this.#context.now))
  }

  /** Notes how long slots were held, for estimates of when the next comes free. */
  recordOccupancy(limit: LimitRow, slots: number, seconds: number): void {
    this.#settleDecay(limit)
    limit.avg_slot_occupancy_seconds = averageOccupancy(limit, slots, seconds)
  }

  /**
   * The lease lasts so many seconds from now. One that ran out no longer than the grace ago comes back to life if its slots are still
   * free, so that a healthy run does not die of a late message. False when it is gone, too late, or others have its slots.
   */
  renew(leaseId: string, seconds: number, graceSeconds: number): boolean {
    const { now } = this.#context
    const rows = this.#byLease.get(leaseId) ?? []
    const late = rows.filter((row) => !isLive(row, now))
    if (rows.length === 0 || late.some(({ expires }) => addSeconds(expires as Micros, graceSeconds) <= now)) return false
    const limits = new Map(late.map((row) => [row, row.limit_id === null ? undefined : this.#byId.get(row.limit_id)]))
    const isTaken = [...limits].some(([row, limit]) => limit && toBoolean(limit.active) && !hasDecay(limit) && !this.hasFreeSlots(limit, row.slots))
    if (isTaken) {
      for (const row of [...rows]) this.#remove(row)
      return false
    }
    for (const [row, limit] of limits) if (limit && !hasDecay(limit)) this.#adjustUsed(limit, row.slots)
    for (const row of rows) {
      row.expires = addSeconds(now, seconds)
      this.#markUpdated(row)
    }
    return true
  }

  deniedSlots(limit: LimitRow): number {
    return deniedSlots(limit, this.#context.now, this.#context)
  }

  /** Refused slots fade with time; until then they tell how long the queue is. What there was before this refusal. */
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

  async flush(): Promise<void> {
    const tx = this.#tx
    await tx.insert('concurrency_lease', [...this.#inserted])
    await tx.update(
      'concurrency_lease',
      [...this.#updated].map(({ id, slots, expires }) => ({ id, slots, expires })),
    )
    if (this.#deleted.size > 0)
      await deleteLeaseRows(
        tx,
        [...this.#deleted].map(({ id }) => id),
      )
    await tx.update(
      'concurrency_limit',
      [...this.#updatedLimits].map(({ id, decaying_slots, denied_slots, settled, avg_slot_occupancy_seconds }) => ({
        id,
        decaying_slots,
        denied_slots,
        settled,
        avg_slot_occupancy_seconds,
      })),
    )
    if (this.#hasReleased) tx.notify('slots')
  }

  #settleDecay(limit: LimitRow): void {
    const { now } = this.#context
    const [decaying, denied] = [decayingSlots(limit, now), this.deniedSlots(limit)]
    limit.decaying_slots = decaying
    limit.denied_slots = denied
    limit.settled = now
    this.#updatedLimits.add(limit)
  }

  #adjustUsed(limit: LimitRow, slots: number): void {
    this.#used.set(limit.id, (this.#used.get(limit.id) ?? 0) + slots)
  }

  #add(lease_id: string, limit_id: string | null, slots: number, terms: LeaseTerms | null): void {
    const { now, newId } = this.#context
    const row: LeaseRow = {
      id: newId(),
      lease_id,
      limit_id,
      slots,
      holder_type: terms?.holder?.type ?? null,
      holder_id: terms?.holder?.id ?? null,
      created: now,
      expires: terms && terms.seconds !== null ? addSeconds(now, terms.seconds) : null,
    }
    this.#index(row)
    this.#inserted.add(row)
  }

  #index(row: LeaseRow): void {
    // A row may have been read twice, as somebody's lease and as one of a limit: the first stands for both.
    if (this.#rowIds.has(row.id)) return
    this.#rowIds.add(row.id)
    push(this.#byLease, row.lease_id, row)
    if (row.holder_id !== null) push(this.#byHolder, row.holder_id, row)
    if (row.limit_id === null) return
    const queues = this.#releaseOrder.get(row.limit_id) ?? { loose: [], owned: [] }
    this.#releaseOrder.set(row.limit_id, queues)
    queues[isAnonymous(row) ? 'loose' : 'owned'].push(row)
  }

  #markUpdated(row: LeaseRow): void {
    if (!this.#inserted.has(row)) this.#updated.add(row)
  }

  #remove(row: LeaseRow): void {
    this.#rowIds.delete(row.id)
    const ofLease = this.#byLease.get(row.lease_id)
    ofLease?.splice(ofLease.indexOf(row), 1)
    this.#updated.delete(row)
    if (!this.#inserted.delete(row)) this.#deleted.add(row)
  }
}

function push(lists: Map<string, LeaseRow[]>, key: string, row: LeaseRow): void {
  const list = lists.get(key)
  if (list) list.push(row)
  else lists.set(key, [row])
}
