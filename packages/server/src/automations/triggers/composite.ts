import type { CompoundTrigger, SequenceTrigger } from '@millrace/contracts/trigger.ts'
import { MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'

/** A firing of a child trigger of a compound or sequence trigger. */
export interface ChildFiring {
  readonly id: string
  readonly triggerId: string
  /** The time of the event in the log, not the time of evaluation: a late evaluation gives the same result. */
  readonly at: Micros
  /** Position in the log. Orders firings of the same time. */
  readonly position: number
  /** The firing as JSON. */
  readonly text: string
}

export interface CompositeStep {
  /** The latest firing of each child, to be stored. */
  readonly firings: readonly ChildFiring[]
  /** The child firings that made the trigger fire. */
  readonly fired: readonly ChildFiring[] | null
  readonly reason: string
}

/** Evaluates a compound trigger after a child fired. It fires when `require` children have fired within its time. */
export function evaluateCompound(trigger: CompoundTrigger, firings: readonly ChildFiring[], firing: ChildFiring): CompositeStep {
  const needed = trigger.require === 'any' ? 1 : trigger.require === 'all' ? trigger.triggers.length : trigger.require
  if (needed === 1) return { firings, fired: [firing], reason: '' }
  const latest = addFiring(firings, firing, trigger.within === null ? null : trigger.within * MICROS_PER_SECOND)
  if (latest.length >= needed && latest.includes(firing)) return { firings: [], fired: latest, reason: '' }
  return { firings: latest, fired: null, reason: `${latest.length} of ${needed} triggers have fired` }
}

/** Evaluates a sequence trigger after a child fired. It fires when all children have fired in order and within its time. */
export function evaluateSequence(trigger: SequenceTrigger, firings: readonly ChildFiring[], firing: ChildFiring): CompositeStep {
  if (trigger.triggers.length === 1) return { firings, fired: [firing], reason: '' }
  const latest = addFiring(firings, firing, trigger.within === null ? null : trigger.within * MICROS_PER_SECOND)
  const inOrder = [...latest].sort((a, b) => a.at - b.at || a.position - b.position)
  const complete = inOrder.length === trigger.triggers.length && latest.includes(firing)
  if (complete && trigger.triggers.every(({ id }, index) => inOrder[index]?.triggerId === id)) return { firings: [], fired: inOrder, reason: '' }
  return {
    firings: latest,
    fired: null,
    reason: complete ? 'The triggers fired in a different order' : `${latest.length} of ${trigger.triggers.length} triggers have fired`,
  }
}

/**
 * Adds a firing to the latest firing of each child and removes those outside `within` of the newest. A proactive child may report its firing after newer
 * ones, so the added firing itself may be too old or older than the stored one of its child.
 */
function addFiring(firings: readonly ChildFiring[], firing: ChildFiring, withinMicros: number | null): readonly ChildFiring[] {
  if (firings.some(({ triggerId, at }) => triggerId === firing.triggerId && at > firing.at)) return firings
  const all = [...firings.filter(({ triggerId }) => triggerId !== firing.triggerId), firing]
  const newest = Math.max(...all.map(({ at }) => at))
  return withinMicros === null ? all : all.filter(({ at }) => at >= newest - withinMicros)
}
