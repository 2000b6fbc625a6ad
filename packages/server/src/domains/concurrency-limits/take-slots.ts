import type { ConcurrencyLeaseHolder } from '@millrace/contracts/global-concurrency-limit.ts'
import { invalid, slotsFullWithRetry } from '../../errors.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { fades, type LimitRow } from './fading.ts'
import { retryAfterSeconds } from './retry-after.ts'
import type { SlotRequest } from './slot-traffic.ts'

export interface TakeSlots {
  readonly names: readonly string[]
  readonly slots: number
  readonly mode: 'concurrency' | 'rate_limit'
  /** It was refused before, and waits: it does not count as one more in the queue. */
  readonly isAnew?: boolean
  /** Without a lease the slots are held until somebody gives as many back. */
  readonly lease: { readonly seconds: number; readonly holder: ConcurrencyLeaseHolder | null } | null
}

export interface Taken {
  readonly limits: readonly LimitRow[]
  readonly lease_id: string
}

/** Slots of all the limits, or of none: the caller is told when to ask again. Limits that are switched off let everybody in. */
export function takeSlots({ config, random }: ServerContext, { names, slots, mode, lease, isAnew = false }: TakeSlots): SlotRequest<Taken> {
  return {
    names,
    carryOut(book) {
      const limits = book.named(names)
      const active = limits.filter((limit) => toBoolean(limit.active))
      const small = active.find((limit) => limit.slots < slots)
      if (small) return invalid(['body', 'slots'], `${slots} slots will never be free at once: the limit ${small.name} has ${small.slots}`, slots)
      const steady = mode === 'rate_limit' ? active.filter((limit) => !fades(limit)) : []
      if (steady.length > 0) {
        const named = steady.map(({ name }) => `'${name}'`).join(', ')
        return invalid(['body', 'mode'], `Only limits with a slot decay can limit a rate; these have none: ${named}`, mode)
      }
      if (active.some((limit) => !book.hasRoom(limit, slots))) {
        const full = active.map((limit) => ({ limit, denied: isAnew ? book.denied(limit) : book.deny(limit, slots) }))
        return slotsFullWithRetry('Not enough slots are free', retryAfterSeconds(full, slots, config.concurrency, random.next()))
      }
      return { limits, lease_id: book.take(limits, slots, lease) }
    },
  }
}
