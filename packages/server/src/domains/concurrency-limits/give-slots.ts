import { toBoolean } from '../../storage/tables.ts'
import type { LimitRow } from './fading.ts'
import type { SlotRequest } from './slot-traffic.ts'

export interface GiveSlots {
  readonly names: readonly string[]
  readonly slots: number
  /** How long they were held together. */
  readonly occupancy_seconds: number | null
}

/** Gives back slots that were taken without a lease; the limits that there are by those names. */
export function giveSlots({ names, slots, occupancy_seconds }: GiveSlots): SlotRequest<readonly LimitRow[]> {
  return {
    names,
    loose: slots,
    carryOut(book) {
      const limits = book.named(names)
      for (const limit of limits.filter(({ active }) => toBoolean(active))) {
        book.give(limit, slots)
        if (occupancy_seconds !== null) book.noteOccupancy(limit, slots, occupancy_seconds)
      }
      return limits
    },
  }
}
