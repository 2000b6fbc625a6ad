import type { CompoundTrigger } from '@millrace/contracts/trigger.ts'
import { MICROS_PER_SECOND } from '../../lib/time.ts'
import { addFiring, type ChildFiring, type CompositeStep } from './composite.ts'

/** Tells a compound trigger that one of its triggers fired: it fires itself once enough of them have, within its time. */
export function evaluateCompound(trigger: CompoundTrigger, firings: readonly ChildFiring[], firing: ChildFiring): CompositeStep {
  const needed = trigger.require === 'any' ? 1 : trigger.require === 'all' ? trigger.triggers.length : trigger.require
  if (needed === 1) return { firings, fired: [firing], reason: '' }
  const now = addFiring(firings, firing, trigger.within === null ? null : trigger.within * MICROS_PER_SECOND)
  if (now.length >= needed && now.includes(firing)) return { firings: [], fired: now, reason: '' }
  return { firings: now, fired: null, reason: `${now.length} of ${needed} triggers have fired` }
}
