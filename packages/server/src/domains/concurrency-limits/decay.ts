import { type Micros, secondsBetween } from '../../lib/time.ts'
import type { Row } from '../../storage/tables.ts'

export type LimitRow = Row<'concurrency_limit'>

type DecayRate = Pick<LimitRow, 'slot_decay_per_second' | 'settled'>

/** How long callers that found a limit full are told to wait at most. */
export interface WaitSettings {
  readonly tag_slot_wait_seconds: number
  readonly maximum_slot_wait_seconds: number
}

/** Averages start here and never fall below, so that nothing divides by zero. */
const occupancySecondsMin = 0.1

/** An average forgets what lies further back than as many releases as this times the limit. */
const samplesPerSlot = 2

/** A limit with decay is a rate: its slots come back by themselves, so many a second, and need nobody to give them back. */
export const hasDecay = ({ slot_decay_per_second }: Pick<DecayRate, 'slot_decay_per_second'>): boolean => slot_decay_per_second > 0

/**
 * The slots of a rate that are still in use. It is a continuous level and not a set of leases, because whoever ends a lease early
 * gives back whole slots of the level, whichever of them has faded. Unlike the reference, which rounds at every write and lets a
 * refusal start the clock anew, it loses no fraction: callers that ask more often than a slot takes to fade are served too.
 */
export const decayingSlots = (limit: DecayRate & Pick<LimitRow, 'decaying_slots'>, now: Micros): number =>
  applyDecay(limit.decaying_slots, limit.slot_decay_per_second, limit.settled, now)

/** Slots that were asked for and refused of late: they tell how long the queue is. They fade about as fast as slots come back. */
export function deniedSlots(limit: LimitRow, now: Micros, settings: WaitSettings): number {
  if (hasDecay(limit)) return deniedSlotsByRate(limit, now)
  const seconds = Math.max(occupancySecondsMin, Math.min(limit.avg_slot_occupancy_seconds, waitSecondsMax(limit.name, settings)))
  return applyDecay(limit.denied_slots, 1 / seconds, limit.settled, now)
}

export const deniedSlotsByRate = (limit: DecayRate & Pick<LimitRow, 'denied_slots'>, now: Micros): number =>
  applyDecay(limit.denied_slots, limit.slot_decay_per_second, limit.settled, now)

const applyDecay = (amount: number, ratePerSecond: number, since: Micros, now: Micros): number =>
  Math.max(0, amount - ratePerSecond * Math.max(0, secondsBetween(since, now)))

/** Whole slots, for people. What is left of one counts; what a double leaves over does not. */
export const wholeSlots = (amount: number): number => Math.max(0, Math.ceil(amount - 1e-9))

export const waitSecondsMax = (name: string, settings: WaitSettings): number =>
  name.startsWith('tag:') ? settings.tag_slot_wait_seconds : settings.maximum_slot_wait_seconds

/** The average time that a slot is held, after slots were held for so long together. */
export function averageOccupancy(limit: LimitRow, slots: number, seconds: number): number {
  const { avg_slot_occupancy_seconds: average, slots: allowed } = limit
  if (slots === 0 || allowed === 0) return average
  const perSlot = Math.max(seconds / slots, occupancySecondsMin)
  return average + (perSlot - average) / (allowed * samplesPerSlot)
}
