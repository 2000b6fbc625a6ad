import type { ConcurrencyLeaseHolder } from '@millrace/contracts/global-concurrency-limit.ts'
import { invalid, slotsFullWithRetry } from '../../errors.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { hasDecay, type LimitRow } from './decay.ts'
import { retryAfterSeconds } from './retry-after.ts'
import type { SlotRequest } from './slot-batch.ts'

export interface AcquireSlots {
  readonly names: readonly string[]
  readonly slots: number
  readonly mode: 'concurrency' | 'rate_limit'
  /** It was refused before, and waits: it does not count as one more in the queue. */
  readonly isRetry?: boolean
  /** Without a lease the slots are held until somebody gives as many back. */
  readonly lease: { readonly seconds: number; readonly holder: ConcurrencyLeaseHolder | null } | null
}

export interface AcquiredSlots {
  readonly limits: readonly LimitRow[]
  readonly lease_id: string
}

/** Slots of all the limits, or of none: the caller is told when to ask again. Limits that are switched off let everybody in. */
export function acquireSlots(
  { config, random }: ServerContext,
  { names, slots, mode, lease, isRetry: isAnew = false }: AcquireSlots,
): SlotRequest<AcquiredSlots> {
  return {
    names,
    execute(ledger) {
      const limits = ledger.limitsByName(names)
      const active = limits.filter((limit) => toBoolean(limit.active))
      const small = active.find((limit) => limit.slots < slots)
      if (small) return invalid(['body', 'slots'], `${slots} slots will never be free at once: the limit ${small.name} has ${small.slots}`, slots)
      const steady = mode === 'rate_limit' ? active.filter((limit) => !hasDecay(limit)) : []
      if (steady.length > 0) {
        const named = steady.map(({ name }) => `'${name}'`).join(', ')
        return invalid(['body', 'mode'], `Only limits with a slot decay can limit a rate; these have none: ${named}`, mode)
      }
      if (active.some((limit) => !ledger.hasFreeSlots(limit, slots))) {
        const full = active.map((limit) => ({ limit, denied: isAnew ? ledger.deniedSlots(limit) : ledger.recordDenial(limit, slots) }))
        return slotsFullWithRetry('Not enough slots are free', retryAfterSeconds(full, slots, config.concurrency, random.next()))
      }
      return { limits, lease_id: ledger.acquire(limits, slots, lease) }
    },
  }
}
