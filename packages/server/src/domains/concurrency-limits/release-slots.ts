import { toBoolean } from '../../storage/tables.ts'
import type { LimitRow } from './decay.ts'
import type { SlotRequest } from './slot-batch.ts'

export interface ReleaseSlots {
  readonly names: readonly string[]
  readonly slots: number
  /** How long they were held together. */
  readonly occupancy_seconds: number | null
}

/** Gives back slots that were taken without a lease; the limits that there are by those names. */
export function releaseSlots({ names, slots, occupancy_seconds }: ReleaseSlots): SlotRequest<readonly LimitRow[]> {
  return {
    names,
    anonymousSlots: slots,
    execute(ledger) {
      const limits = ledger.limitsByName(names)
      for (const limit of limits.filter(({ active }) => toBoolean(active))) {
        ledger.releaseAnonymous(limit, slots)
        if (occupancy_seconds !== null) ledger.recordOccupancy(limit, slots, occupancy_seconds)
      }
      return limits
    },
  }
}
