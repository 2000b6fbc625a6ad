import type { SequenceTrigger } from '@millrace/contracts/trigger.ts'
import { MICROS_PER_SECOND } from '../../lib/time.ts'
import { type ChildFiring, type CompositeStep, remember } from './child-firing.ts'

/** Tells a sequence trigger that one of its triggers fired: it fires itself once all of them have, in their order and within its time. */
export function showFiringToSequence(trigger: SequenceTrigger, kept: readonly ChildFiring[], firing: ChildFiring): CompositeStep {
  if (trigger.triggers.length === 1) return { kept, fired: [firing], reason: '' }
  const now = remember(kept, firing, trigger.within === null ? null : trigger.within * MICROS_PER_SECOND)
  const inOrder = [...now].sort((a, b) => a.at - b.at || a.position - b.position)
  const complete = inOrder.length === trigger.triggers.length && now.includes(firing)
  if (complete && trigger.triggers.every(({ id }, index) => inOrder[index]?.triggerId === id)) return { kept: [], fired: inOrder, reason: '' }
  return {
    kept: now,
    fired: null,
    reason: complete ? 'The triggers fired in another order' : `${now.length} of ${trigger.triggers.length} triggers have fired`,
  }
}
