import type { LimitUsage, RunSlots } from '../../orchestration/rule.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { wholeSlots } from './decay.ts'
import { type LeaseRow, lockLimitsByName, lockLimitsExceptHeld, readLimitNames, readLiveLeases } from './lease-store.ts'
import { SlotLedger } from './slot-ledger.ts'

type HolderType = 'flow_run' | 'task_run'

/** The ledger as the rules see it: one slot of each limit for one run. */
class RunSlotLedger implements RunSlots {
  readonly #ledger: SlotLedger
  readonly #holderType: HolderType

  constructor(ledger: SlotLedger, holderType: HolderType) {
    this.#ledger = ledger
    this.#holderType = holderType
  }

  usage(name: string): LimitUsage | undefined {
    const limit = this.#ledger.limitByName(name)
    if (!limit) return undefined
    return {
      slots: limit.slots,
      // A decaying slot counts as used until it has decayed completely.
      free: Math.max(0, limit.slots - wholeSlots(this.#ledger.usedSlots(limit))),
      holders: this.#ledger.holdersOf(limit),
      active: toBoolean(limit.active),
    }
  }

  acquire(names: readonly string[], holder: string, seconds: number | null): string {
    const limits = names.flatMap((name) => this.#ledger.limitByName(name) ?? [])
    return this.#ledger.acquire(limits, 1, { seconds, holder: { type: this.#holderType, id: holder } })
  }

  renew(holder: string, names: readonly string[], seconds: number | null): string {
    const held = this.#heldBy(holder, names)
    for (const row of held) this.#ledger.extend(row, seconds)
    return held[0]?.lease_id ?? this.acquire(names, holder, seconds)
  }

  release(holder: string, names: readonly string[], leaseId?: string | null): void {
    // The lease id comes from the client. Only rows of this holder count, so that a run cannot release the lease of another.
    const held = this.#heldBy(holder, names, leaseId)
    // The deployment may have changed its limit since: that limit is not loaded.
    if (leaseId && held.length === 0) this.#ledger.releaseUnread(leaseId, holder)
    for (const row of held) this.#ledger.releaseRow(row)
  }

  #heldBy(holder: string, names: readonly string[], leaseId?: string | null): LeaseRow[] {
    const limitIds = new Set<string | null | undefined>(names.map((name) => this.#ledger.limitByName(name)?.id))
    return this.#ledger.leasesHeldBy(holder).filter((row) => limitIds.has(row.limit_id) || row.lease_id === leaseId)
  }
}

/** The limits of a batch, and the names of those that somebody else holds. */
export interface LoadedSlots {
  readonly ledger: SlotLedger
  readonly held: ReadonlySet<string>
}

/** Loads and locks the named limits in one round trip, without those that somebody else holds, unless it may wait for them. Without names it reads nothing. */
export async function loadSlots(tx: Tx, context: ServerContext, names: readonly string[], waits: boolean): Promise<LoadedSlots> {
  const now = context.clock.now()
  if (names.length === 0) return { ledger: SlotLedger.of(context, now, [], []), held: new Set() }
  const [limits, live, present] = await Promise.all([
    waits ? lockLimitsByName(tx, names) : lockLimitsExceptHeld(tx, names),
    readLiveLeases(tx, names, now),
    waits || !tx.dialect.isShared ? [] : readLimitNames(tx, names),
  ])
  const locked = new Set(limits.map(({ name }) => name))
  return { ledger: SlotLedger.of(context, now, limits, live), held: new Set(present.filter((name) => !locked.has(name))) }
}

/** The ledger as rules of a kind of run see it. */
export const runSlotsOf = (ledger: SlotLedger, holderType: HolderType): RunSlots => new RunSlotLedger(ledger, holderType)
