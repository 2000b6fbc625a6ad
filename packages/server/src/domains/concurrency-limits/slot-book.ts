import { addSeconds, type Micros, secondsBetween } from '../../lib/time.ts'
import type { Tx } from '../../storage/database.ts'
import { toBoolean } from '../../storage/tables.ts'
import { averageOccupancy, decayingSlots, deniedSlots, fades, type LimitRow, type WaitSettings } from './fading.ts'
import {
  deleteLeaseRows,
  isLive,
  isLoose,
  type LeaseRow,
  lockLimits,
  readFirstToGo,
  readLeases,
  readLimitsOfLeases,
  readUsedSlots,
} from './leases.ts'

/** What a batch is about; the book is opened with all of it at once. */
export interface Needs {
  readonly names?: readonly string[]
  readonly ids?: readonly string[]
  readonly leases?: readonly string[]
  readonly holders?: readonly string[]
  /** How many slots of the named limits may have to be given back without a lease. */
  readonly loose?: number
}

export interface Maker extends WaitSettings {
  readonly now: Micros
  newId(): string
}

/** On what terms slots are taken: for how long, and by whom. Without terms they are simply taken, and somebody gives as many back. */
export interface Terms {
  readonly seconds: number | null
  readonly holder: { readonly type: string; readonly id: string } | null
}

/**
 * The limits that a batch of requests is about, locked to the commit, with what is taken of them. Requests take and give back in
 * turn, each seeing what those before it did; `flush` writes what came of it in a constant number of statements.
 */
export class SlotBook {
  readonly #tx: Tx
  readonly #maker: Maker
  readonly #limits: readonly LimitRow[]
  readonly #byId: ReadonlyMap<string, LimitRow>
  readonly #used: Map<string, number>
  readonly #rows = new Set<string>()
  readonly #byLease = new Map<string, LeaseRow[]>()
  readonly #byHolder = new Map<string, LeaseRow[]>()
  /** For each limit its rows in the order in which they go when nobody says whose. */
  readonly #queues = new Map<string, { readonly loose: LeaseRow[]; readonly owned: LeaseRow[] }>()
  readonly #fresh = new Set<LeaseRow>()
  readonly #changed = new Set<LeaseRow>()
  readonly #gone = new Set<LeaseRow>()
  readonly #changedLimits = new Set<LimitRow>()
  #freed = false

  private constructor(tx: Tx, maker: Maker, limits: readonly LimitRow[], used: Map<string, number>, rows: readonly LeaseRow[]) {
    this.#tx = tx
    this.#maker = maker
    this.#limits = limits
    this.#byId = new Map(limits.map((limit) => [limit.id, limit]))
    this.#used = used
    for (const row of rows) this.#know(row)
  }

  static async open(tx: Tx, needs: Needs, maker: Maker): Promise<SlotBook> {
    const whose = { leases: needs.leases ?? [], holders: needs.holders ?? [] }
    const isAboutLeases = whose.leases.length + whose.holders.length > 0
    const ids = isAboutLeases ? await readLimitsOfLeases(tx, whose) : []
    const limits = await lockLimits(tx, needs.names ?? [], [...ids, ...(needs.ids ?? [])])
    const limitIds = limits.map(({ id }) => id)
    // Only under the lock do the leases stand still.
    const rows = isAboutLeases ? await readLeases(tx, whose) : []
    const used = limits.length === 0 ? new Map<string, number>() : await readUsedSlots(tx, limitIds, maker.now)
    if (needs.loose && limits.length > 0) rows.push(...(await readFirstToGo(tx, limitIds, maker.now, needs.loose)))
    return new SlotBook(tx, maker, limits, used, rows)
  }

  /** The limits by these names, each once, in the order of their names; names without a limit say nothing. */
  named(names: readonly string[]): LimitRow[] {
    const wanted = new Set(names)
    return this.#limits.filter(({ name }) => wanted.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  limit(id: string): LimitRow | undefined {
    return this.#byId.get(id)
  }

  /** Slots in use, with fractions where they fade. */
  inUse(limit: LimitRow): number {
    return fades(limit) ? decayingSlots(limit, this.#maker.now) : (this.#used.get(limit.id) ?? 0)
  }

  hasRoom(limit: LimitRow, slots: number): boolean {
    return this.inUse(limit) + slots <= limit.slots + 1e-9
  }

  /** Takes slots of each limit, room or not; the lease's id. A limit that is switched off is noted in the lease and gives none. */
  take(limits: readonly LimitRow[], slots: number, terms: Terms | null): string {
    const lease_id = this.#maker.newId()
    for (const limit of limits) {
      const taken = toBoolean(limit.active) ? slots : 0
      if (fades(limit)) this.setDecaying(limit, this.inUse(limit) + taken)
      else this.#count(limit, taken)
      // What fades needs no row to come back, nor does what was not taken; only a lease must be there to be renewed and ended.
      if (terms || (taken > 0 && !fades(limit))) this.#add(lease_id, limit.id, taken, terms)
    }
    if (terms && limits.length === 0) this.#add(lease_id, null, 0, terms)
    return lease_id
  }

  /** Gives back slots without saying whose, never more than are in use. A lease that loses its slots this way can still be renewed and ended. */
  give(limit: LimitRow, slots: number): void {
    this.#freed = true
    if (fades(limit)) {
      this.setDecaying(limit, Math.max(0, this.inUse(limit) - slots))
      return
    }
    const queues = this.#queues.get(limit.id)
    let rest = Math.min(slots, this.inUse(limit))
    for (const queue of queues ? [queues.loose, queues.owned] : []) {
      while (rest > 0 && queue[0]) {
        const row = queue[0]
        const given = this.#rows.has(row.id) && isLive(row, this.#maker.now) ? Math.min(rest, row.slots) : 0
        rest -= given
        row.slots -= given
        this.#count(limit, -given)
        if (given > 0) this.#change(row)
        // Used up, or ended by somebody earlier in the batch.
        if (row.slots === 0 || given === 0) queue.shift()
        if (given > 0 && row.slots === 0 && queue === queues?.loose) this.#remove(row)
      }
    }
  }

  /** The ids of the leases that a holder has on any of the limits. */
  leasesOf(holder: string, limits: readonly LimitRow[]): string[] {
    const ids = new Set<string | null>(limits.map(({ id }) => id))
    return [...new Set((this.#byHolder.get(holder) ?? []).filter(({ limit_id }) => ids.has(limit_id)).map(({ lease_id }) => lease_id))]
  }

  /** Ends a lease, if it is there: what it held comes back. */
  end(leaseId: string): void {
    for (const row of [...(this.#byLease.get(leaseId) ?? [])]) {
      this.reclaim(row)
      this.#remove(row)
    }
  }

  /** What a lease held comes back to its limit; its row is removed by the caller. */
  reclaim(row: LeaseRow): void {
    this.#freed = true
    const limit = row.limit_id === null ? undefined : this.#byId.get(row.limit_id)
    if (!limit) return
    if (fades(limit)) this.setDecaying(limit, Math.max(0, this.inUse(limit) - row.slots))
    else if (isLive(row, this.#maker.now)) this.#count(limit, -row.slots)
    if (toBoolean(limit.active)) this.noteOccupancy(limit, row.slots, secondsBetween(row.created, this.#maker.now))
  }

  /** Notes how long slots were held, for estimates of when the next comes free. */
  noteOccupancy(limit: LimitRow, slots: number, seconds: number): void {
    this.#settle(limit)
    limit.avg_slot_occupancy_seconds = averageOccupancy(limit, slots, seconds)
  }

  /**
   * The lease lasts so many seconds from now. One that ran out no longer than the grace ago comes back to life if its slots are still
   * free, so that a healthy run does not die of a late message. False when it is gone, too late, or others have its slots.
   */
  renew(leaseId: string, seconds: number, graceSeconds: number): boolean {
    const { now } = this.#maker
    const rows = this.#byLease.get(leaseId) ?? []
    const late = rows.filter((row) => !isLive(row, now))
    if (rows.length === 0 || late.some(({ expires }) => addSeconds(expires as Micros, graceSeconds) <= now)) return false
    const limits = new Map(late.map((row) => [row, row.limit_id === null ? undefined : this.#byId.get(row.limit_id)]))
    const isTaken = [...limits].some(([row, limit]) => limit && toBoolean(limit.active) && !fades(limit) && !this.hasRoom(limit, row.slots))
    if (isTaken) {
      for (const row of [...rows]) this.#remove(row)
      return false
    }
    for (const [row, limit] of limits) if (limit && !fades(limit)) this.#count(limit, row.slots)
    for (const row of rows) {
      row.expires = addSeconds(now, seconds)
      this.#change(row)
    }
    return true
  }

  denied(limit: LimitRow): number {
    return deniedSlots(limit, this.#maker.now, this.#maker)
  }

  /** Refused slots fade with time; until then they tell how long the queue is. What there was before this refusal. */
  deny(limit: LimitRow, slots: number): number {
    this.#settle(limit)
    const before = limit.denied_slots
    limit.denied_slots += slots
    return before
  }

  setDecaying(limit: LimitRow, slots: number): void {
    this.#settle(limit)
    limit.decaying_slots = slots
  }

  async flush(): Promise<void> {
    const tx = this.#tx
    await tx.insert('concurrency_lease', [...this.#fresh])
    await tx.update(
      'concurrency_lease',
      [...this.#changed].map(({ id, slots, expires }) => ({ id, slots, expires })),
    )
    if (this.#gone.size > 0)
      await deleteLeaseRows(
        tx,
        [...this.#gone].map(({ id }) => id),
      )
    await tx.update(
      'concurrency_limit',
      [...this.#changedLimits].map(({ id, decaying_slots, denied_slots, settled, avg_slot_occupancy_seconds }) => ({
        id,
        decaying_slots,
        denied_slots,
        settled,
        avg_slot_occupancy_seconds,
      })),
    )
    if (this.#freed) tx.notify('slots')
  }

  #settle(limit: LimitRow): void {
    const { now } = this.#maker
    const [decaying, denied] = [decayingSlots(limit, now), this.denied(limit)]
    limit.decaying_slots = decaying
    limit.denied_slots = denied
    limit.settled = now
    this.#changedLimits.add(limit)
  }

  #count(limit: LimitRow, slots: number): void {
    this.#used.set(limit.id, (this.#used.get(limit.id) ?? 0) + slots)
  }

  #add(lease_id: string, limit_id: string | null, slots: number, terms: Terms | null): void {
    const { now, newId } = this.#maker
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
    this.#know(row)
    this.#fresh.add(row)
  }

  #know(row: LeaseRow): void {
    // A row may have been read twice, as somebody's lease and as one of a limit: the first stands for both.
    if (this.#rows.has(row.id)) return
    this.#rows.add(row.id)
    push(this.#byLease, row.lease_id, row)
    if (row.holder_id !== null) push(this.#byHolder, row.holder_id, row)
    if (row.limit_id === null) return
    const queues = this.#queues.get(row.limit_id) ?? { loose: [], owned: [] }
    this.#queues.set(row.limit_id, queues)
    queues[isLoose(row) ? 'loose' : 'owned'].push(row)
  }

  #change(row: LeaseRow): void {
    if (!this.#fresh.has(row)) this.#changed.add(row)
  }

  #remove(row: LeaseRow): void {
    this.#rows.delete(row.id)
    const ofLease = this.#byLease.get(row.lease_id)
    ofLease?.splice(ofLease.indexOf(row), 1)
    this.#changed.delete(row)
    if (!this.#fresh.delete(row)) this.#gone.add(row)
  }
}

function push(lists: Map<string, LeaseRow[]>, key: string, row: LeaseRow): void {
  const list = lists.get(key)
  if (list) list.push(row)
  else lists.set(key, [row])
}
