import { applyJitter } from '../../lib/jitter.ts'
import { hasDecay, type LimitRow, occupancySecondsMin, type WaitSettings, waitSecondsMax } from '../../runs/slots/decay.ts'

/** The occupancy average covers about this many releases for each slot of the limit. */
const samplesPerSlot = 2

/** The new average time that a slot is held, after `slots` were held for `seconds` in total. */
export function averageOccupancy(limit: LimitRow, slots: number, seconds: number): number {
  const { avg_slot_occupancy_seconds: average, slots: allowed } = limit
  if (slots === 0 || allowed === 0) return average
  const perSlot = Math.max(seconds / slots, occupancySecondsMin)
  return average + (perSlot - average) / (allowed * samplesPerSlot)
}

/** A full limit with the slots that it denied before this request. */
export interface FullLimit {
  readonly limit: LimitRow
  readonly denied: number
}

/**
 * The retry delay after a denial: about when the caller's turn comes, by the limit with the longest queue. Without decay it is an
 * estimate from the occupancy average, bounded so that one long run does not delay every caller by an hour.
 */
export function retryAfterSeconds(limits: readonly FullLimit[], slots: number, settings: WaitSettings, random: number): number {
  const turns = limits.map(({ limit, denied }) => ({ limit, slots: hasDecay(limit) ? slots + denied : (slots + denied) / limit.slots }))
  const longest = turns.reduce((a, b) => (b.slots > a.slots ? b : a))
  return applyJitter(expectedWaitSeconds(longest.limit, longest.slots, settings), 0.3, random)
}

function expectedWaitSeconds(limit: LimitRow, slots: number, settings: WaitSettings): number {
  if (hasDecay(limit)) return slots / limit.slot_decay_per_second
  const bound = waitSecondsMax(limit.name, settings)
  return Math.min(Math.min(limit.avg_slot_occupancy_seconds, bound) * slots, bound)
}
