import { addSeconds, type Micros, secondsBetween } from '../../lib/time.ts'
import { hasDecay, type LimitRow } from '../../runs/slots/decay.ts'
import { isLive, type LeaseRow } from '../../runs/slots/lease-store.ts'
import { SlotLedger } from '../../runs/slots/slot-ledger.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { lockLimits, readInReleaseOrder, readLeases, readLimitsOfLeases, readUsedSlots } from './lease-store.ts'
import { averageOccupancy } from './retry-delay.ts'

/** The limits and leases that a batch needs. All of them are loaded at once. */
export interface LedgerScope {
  readonly names?: readonly string[]
  readonly ids?: readonly string[]
  readonly leases?: readonly string[]
  readonly holders?: readonly string[]
  /** Upper bound of the slots of the named limits that the batch releases without a lease. */
  readonly anonymousSlots?: number
}

/** The ledger of requests for slots: they take several slots at once, end leases of others, and are denied with an estimate of when to try again. */
export class RequestLedger extends SlotLedger {
  static async load(tx: Tx, context: ServerContext, scope: LedgerScope): Promise<RequestLedger> {
    const now = context.clock.now()
    const selection = { leases: scope.leases ?? [], holders: scope.holders ?? [] }
    const selectsLeases = selection.leases.length + selection.holders.length > 0
    const leasedLimits = selectsLeases ? await readLimitsOfLeases(tx, selection) : []
    const limits = await lockLimits(tx, scope.names ?? [], [...leasedLimits, ...(scope.ids ?? [])])
    const limitIds = limits.map(({ id }) => id)
    // Read under the lock: no other transaction changes leases of these limits now.
    const selected = selectsLeases ? await readLeases(tx, selection) : []
    if (limits.length === 0) return new RequestLedger(context, now, limits, new Map()).indexAll(selected)
    const used = await readUsedSlots(tx, limitIds, now)
    const releasable = scope.anonymousSlots ? await readInReleaseOrder(tx, limitIds, now, scope.anonymousSlots) : []
    return new RequestLedger(context, now, limits, used).indexAll(selected, releasable)
  }

  /** The limits with these names, without duplicates, sorted by name. Names without a limit are skipped. */
  limitsByName(names: readonly string[]): LimitRow[] {
    return [...new Set(names)].sort().flatMap((name) => this.byName.get(name) ?? [])
  }

  limit(id: string): LimitRow | undefined {
    return this.byId.get(id)
  }

  hasFreeSlots(limit: LimitRow, slots: number): boolean {
    return this.usedSlots(limit) + slots <= limit.slots + 1e-9
  }

  /** Releases slots regardless of their holder, at most those in use. A lease that loses its slots can still be renewed and ended. */
  releaseAnonymous(limit: LimitRow, slots: number): void {
    this.hasReleased = true
    if (hasDecay(limit)) {
      this.setDecayingSlots(limit, Math.max(0, this.usedSlots(limit) - slots))
      return
    }
    const order = this.byLimit.get(limit.id)
    let rest = Math.min(slots, this.usedSlots(limit))
    for (const rows of order ? [order.anonymous, order.leased] : []) {
      for (const row of rows) {
        if (rest <= 0) return
        const released = isLive(row, this.now) ? Math.min(rest, row.slots) : 0
        rest -= released
        row.slots -= released
        this.adjustUsed(limit, -released)
        if (released > 0) this.markUpdated(row)
        if (row.slots > 0 && released > 0) continue
        rows.delete(row)
        if (released > 0 && rows === order?.anonymous) this.remove(row)
      }
    }
  }

  /** Ends a lease and returns its slots. A missing lease is ignored. */
  releaseLease(leaseId: string): void {
    for (const row of [...(this.byLease.get(leaseId) ?? [])]) {
      this.returnSlots(row)
      this.remove(row)
    }
  }

  /** Returns the slots of a lease row to its limit and records how long they were held. The caller removes the row. */
  returnSlots(row: LeaseRow): void {
    const limit = this.returnToLimit(row)
    if (limit && toBoolean(limit.active)) this.recordOccupancy(limit, row.slots, secondsBetween(row.created, this.now))
  }

  /** Updates the average time that slots are held, the basis of retry estimates. */
  recordOccupancy(limit: LimitRow, slots: number, seconds: number): void {
    this.settleDecay(limit)
    limit.avg_slot_occupancy_seconds = averageOccupancy(limit, slots, seconds)
  }

  /**
   * Extends a lease to the given seconds from now. A lease that expired within the grace period is revived if its slots are still free,
   * so that a late message does not end a healthy run. Returns false if the lease is missing, too old, or its slots are taken; in the last case
   * it ends, and what it still holds of other limits is free again.
   */
  renew(leaseId: string, seconds: number, graceSeconds: number): boolean {
    const rows = this.byLease.get(leaseId) ?? []
    const late = rows.filter((row) => !isLive(row, this.now))
    if (rows.length === 0 || late.some(({ expires }) => addSeconds(expires as Micros, graceSeconds) <= this.now)) return false
    const limits = new Map(late.map((row) => [row, row.limit_id === null ? undefined : this.byId.get(row.limit_id)]))
    const isTaken = [...limits].some(([row, limit]) => limit && toBoolean(limit.active) && !hasDecay(limit) && !this.hasFreeSlots(limit, row.slots))
    if (isTaken) {
      this.releaseLease(leaseId)
      return false
    }
    for (const [row, limit] of limits) if (limit && !hasDecay(limit)) this.adjustUsed(limit, row.slots)
    for (const row of rows) this.extend(row, seconds)
    return true
  }

  /** Counts denied slots, which estimate the length of the queue. Returns the count before this denial. */
  recordDenial(limit: LimitRow, slots: number): number {
    this.settleDecay(limit)
    const before = limit.denied_slots
    limit.denied_slots += slots
    return before
  }

  async flush(tx: Tx): Promise<void> {
    await tx.write(this.writes(tx.dialect))
    if (this.hasReleased) tx.notify('slots')
  }
}
