import { applyJitter } from '../../orchestration/jitter.ts'
import { hasDecay, type LimitRow, type WaitSettings, waitSecondsMax } from './decay.ts'

/** A full limit with the slots it refused before this time. */
export interface FullLimit {
  readonly limit: LimitRow
  readonly denied: number
}

/**
 * When a caller that found no slots should ask again: about when its turn comes, by the limit with the longest queue. Without a decay
 * that is a guess from how long slots are held, and is bounded: one long run must not put everybody off for an hour.
 */
export function retryAfterSeconds(limits: readonly FullLimit[], slots: number, settings: WaitSettings, random: number): number {
  const turns = limits.map(({ limit, denied }) => ({ limit, slots: hasDecay(limit) ? slots + denied : (slots + denied) / limit.slots }))
  const longest = turns.reduce((a, b) => (b.slots > a.slots ? b : a))
  return applyJitter(expectedWaitSeconds(longest.limit, longest.slots, settings), 0.3, random)
}

function expectedWaitSeconds(limit: LimitRow, slots: number, settings: WaitSettings): number {
  if (hasDecay(limit)) return slots / limit.slot_decay_per_second
  const most = waitSecondsMax(limit.name, settings)
  return Math.min(Math.min(limit.avg_slot_occupancy_seconds, most) * slots, most)
}
