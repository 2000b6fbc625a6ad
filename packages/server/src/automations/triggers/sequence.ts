import type { SequenceTrigger } from '@millrace/contracts/trigger.ts'
import { MICROS_PER_SECOND } from '../../lib/time.ts'
import { addFiring, type ChildFiring, type CompositeStep } from './composite.ts'

/** Tells a sequence trigger that one of its triggers fired: it fires itself once all of them have, in their order and within its time. */
export function evaluateSequence(trigger: SequenceTrigger, firings: readonly ChildFiring[], firing: ChildFiring): CompositeStep {
  if (trigger.triggers.length === 1) return { firings, fired: [firing], reason: '' }
  const now = addFiring(firings, firing, trigger.within === null ? null : trigger.within * MICROS_PER_SECOND)
  const inOrder = [...now].sort((a, b) => a.at - b.at || a.position - b.position)
  const complete = inOrder.length === trigger.triggers.length && now.includes(firing)
  if (complete && trigger.triggers.every(({ id }, index) => inOrder[index]?.triggerId === id)) return { firings: [], fired: inOrder, reason: '' }
  return {
    firings: now,
    fired: null,
    reason: complete ? 'The triggers fired in another order' : `${now.length} of ${trigger.triggers.length} triggers have fired`,
  }
}
