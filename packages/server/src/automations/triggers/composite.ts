import type { Micros } from '../../lib/time.ts'

/** A firing of one of the triggers of a compound or a sequence. */
export interface ChildFiring {
  readonly id: string
  readonly triggerId: string
  /** When it fired, by the time of the log: what was read late counts as if it had been read in time. */
  readonly at: Micros
  /** Its place in the log; decides between firings of one instant. */
  readonly position: number
  /** The whole of it, as JSON. */
  readonly text: string
}

export interface CompositeStep {
  /** What is remembered from here on: the latest firing of each trigger. */
  readonly firings: readonly ChildFiring[]
  /** The firings that made it fire. */
  readonly fired: readonly ChildFiring[] | null
  readonly reason: string
}

/**
 * The latest firing of each trigger, without those that are too old for the newest. A firing by the clock may be told late, after newer ones: then it may be
 * too old itself, or be behind another of its trigger.
 */
export function addFiring(firings: readonly ChildFiring[], firing: ChildFiring, withinMicros: number | null): readonly ChildFiring[] {
  if (firings.some((known) => known.triggerId === firing.triggerId && known.at > firing.at)) return firings
  const all = [...firings.filter((known) => known.triggerId !== firing.triggerId), firing]
  const newest = Math.max(...all.map(({ at }) => at))
  return withinMicros === null ? all : all.filter(({ at }) => at >= newest - withinMicros)
}
