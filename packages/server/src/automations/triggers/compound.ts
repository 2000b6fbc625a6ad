import type { CompoundTrigger } from '@millrace/contracts/trigger.ts'
import { MICROS_PER_SECOND } from '../../lib/time.ts'
import { type ChildFiring, type CompositeStep, remember } from './child-firing.ts'

/** Tells a compound trigger that one of its triggers fired: it fires itself once enough of them have, within its time. */
export function showFiringToCompound(trigger: CompoundTrigger, kept: readonly ChildFiring[], firing: ChildFiring): CompositeStep {
  const needed = trigger.require === 'any' ? 1 : trigger.require === 'all' ? trigger.triggers.length : trigger.require
  if (needed === 1) return { kept, fired: [firing], reason: '' }
  const now = remember(kept, firing, trigger.within === null ? null : trigger.within * MICROS_PER_SECOND)
  if (now.length >= needed && now.includes(firing)) return { kept: [], fired: now, reason: '' }
  return { kept: now, fired: null, reason: `${now.length} of ${needed} triggers have fired` }
}
