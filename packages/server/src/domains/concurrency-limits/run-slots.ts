import type { LimitUsage, RunSlots } from '../../orchestration/rule.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { wholeSlots } from './decay.ts'
import type { LeaseRow } from './lease-store.ts'
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

  flush(): Promise<void> {
    return this.#ledger.flush()
  }

  #heldBy(holder: string, names: readonly string[], leaseId?: string | null): LeaseRow[] {
    const limitIds = new Set<string | null | undefined>(names.map((name) => this.#ledger.limitByName(name)?.id))
    return this.#ledger.leasesHeldBy(holder).filter((row) => limitIds.has(row.limit_id) || row.lease_id === leaseId)
  }
}

/** Loads and locks the named limits for the rules, in two statements. Without names it runs none. */
export async function loadRunSlots(tx: Tx, context: ServerContext, holderType: HolderType, names: ReadonlySet<string>): Promise<RunSlotLedger> {
  return new RunSlotLedger(await SlotLedger.load(tx, context, { names: [...names], withHolders: true }), holderType)
}
