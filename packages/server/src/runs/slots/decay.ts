import { applyJitter } from '../../lib/jitter.ts'
import { type Micros, secondsBetween } from '../../lib/time.ts'
import type { Row } from '../../storage/tables.ts'

export type LimitRow = Row<'concurrency_limit'>

type DecayRate = Pick<LimitRow, 'slot_decay_per_second' | 'settled'>

/** Upper bounds of the retry delay after a denial. */
export interface WaitSettings {
  readonly tag_slot_wait_seconds: number
  readonly maximum_slot_wait_seconds: number
}

/** Lower bound of averages; prevents division by zero. */
const occupancySecondsMin = 0.1

/** The occupancy average covers about this many releases for each slot of the limit. */
const samplesPerSlot = 2

/** A limit with decay is a rate limit: its slots return by themselves, at a fixed number per second, without a release. */
export const hasDecay = ({ slot_decay_per_second }: Pick<DecayRate, 'slot_decay_per_second'>): boolean => slot_decay_per_second > 0

/**
 * The slots of a rate limit that are in use, as a continuous level instead of a set of leases: a lease that ends early returns whole
 * slots of the level, no matter which slots have decayed. The reference rounds at every write and restarts the clock at every denial.
 * Without rounding, clients that retry faster than a slot decays are served too.
 */
export const decayingSlots = (limit: DecayRate & Pick<LimitRow, 'decaying_slots'>, now: Micros): number =>
  applyDecay(limit.decaying_slots, limit.slot_decay_per_second, limit.settled, now)

/** Recently denied slots, which estimate the length of the queue. They decay about as fast as slots become free. */
export function deniedSlots(limit: LimitRow, now: Micros, settings: WaitSettings): number {
  return applyDecay(limit.denied_slots, denialDecayPerSecond(limit, settings), limit.settled, now)
}

function denialDecayPerSecond(limit: LimitRow, settings: WaitSettings): number {
  if (hasDecay(limit)) return limit.slot_decay_per_second
  return 1 / Math.max(occupancySecondsMin, Math.min(limit.avg_slot_occupancy_seconds, waitSecondsMax(limit.name, settings)))
}

const applyDecay = (amount: number, ratePerSecond: number, since: Micros, now: Micros): number =>
  Math.max(0, amount - ratePerSecond * Math.max(0, secondsBetween(since, now)))

/** Rounds up to whole slots: a partly decayed slot counts, a floating-point remainder does not. */
export const wholeSlots = (amount: number): number => Math.max(0, Math.ceil(amount - 1e-9))

const waitSecondsMax = (name: string, settings: WaitSettings): number =>
  name.startsWith('tag:') ? settings.tag_slot_wait_seconds : settings.maximum_slot_wait_seconds

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
