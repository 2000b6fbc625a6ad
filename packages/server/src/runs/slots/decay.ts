import { type Micros, secondsBetween } from '../../lib/time.ts'
import type { Row } from '../../storage/tables.ts'

export type LimitRow = Row<'concurrency_limit'>

type DecayRate = Pick<LimitRow, 'slot_decay_per_second' | 'settled'>

/** Upper bounds of the retry delay after a denial. */
export interface WaitSettings {
  readonly tag_slot_wait_seconds: number
  readonly maximum_slot_wait_seconds: number
}

/** Lower bound of the average time that a slot is held; prevents division by zero. */
export const occupancySecondsMin = 0.1

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

export const waitSecondsMax = (name: string, settings: WaitSettings): number =>
  name.startsWith('tag:') ? settings.tag_slot_wait_seconds : settings.maximum_slot_wait_seconds
