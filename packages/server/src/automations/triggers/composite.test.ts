import type { CompoundTrigger, SequenceTrigger, Trigger } from '@millrace/contracts/trigger.ts'
import { describe, expect, test } from 'vitest'
import { MICROS_PER_SECOND } from '../../lib/time.ts'
import { type ChildFiring, evaluateCompound, evaluateSequence } from './composite.ts'

const children = (...ids: string[]) => ids.map((id) => ({ id })) as Trigger[]
const firing = (triggerId: string, at: number, position = at): ChildFiring => ({
  id: `${triggerId}@${at}`,
  triggerId,
  at: at * MICROS_PER_SECOND,
  position,
  text: '{}',
})

/** Which firings of the parent come of these of its children: for each the children that made it up. */
function collectFirings(trigger: CompoundTrigger | SequenceTrigger, timeline: readonly ChildFiring[]): string[][] {
  let kept: readonly ChildFiring[] = []
  const out: string[][] = []
  for (const happening of timeline) {
    const step = trigger.type === 'compound' ? evaluateCompound(trigger, kept, happening) : evaluateSequence(trigger, kept, happening)
    kept = step.firings
    if (step.fired) out.push(step.fired.map(({ id }) => id))
  }
  return out
}

describe('a compound trigger', () => {
  const compound = (require: CompoundTrigger['require'], within: number | null, ...ids: string[]): CompoundTrigger => ({
    type: 'compound',
    id: 'c',
    require,
    within,
    triggers: children(...ids),
  })

  test('fires for each child with require any', () => {
    expect(collectFirings(compound('any', 60, 'x', 'y'), [firing('x', 1), firing('y', 2), firing('x', 3)])).toEqual([['x@1'], ['y@2'], ['x@3']])
    expect(collectFirings(compound(1, 60, 'x', 'y'), [firing('y', 2)])).toEqual([['y@2']])
  })

  test('waits for the last child with require all, then starts over', () => {
    const all = compound('all', 60, 'x', 'y', 'z')
    expect(collectFirings(all, [firing('x', 1), firing('z', 2), firing('y', 3), firing('x', 4), firing('y', 5), firing('z', 6)])).toEqual([
      ['x@1', 'z@2', 'y@3'],
      ['x@4', 'y@5', 'z@6'],
    ])
  })

  test('counts each of its triggers once, by its latest firing', () => {
    expect(collectFirings(compound(2, null, 'x', 'y', 'z'), [firing('x', 1), firing('x', 2), firing('x', 3), firing('z', 4)])).toEqual([
      ['x@3', 'z@4'],
    ])
  })

  test('drops firings outside its period', () => {
    const all = compound('all', 60, 'x', 'y')
    expect(collectFirings(all, [firing('x', 1), firing('y', 62)])).toEqual([])
    expect(collectFirings(all, [firing('x', 1), firing('y', 61)])).toEqual([['x@1', 'y@61']])
    expect(collectFirings(all, [firing('x', 1), firing('y', 62), firing('x', 63)])).toEqual([['y@62', 'x@63']])
  })

  test('orders a late firing by its time', () => {
    const all = compound('all', 60, 'x', 'y')
    expect(collectFirings(all, [firing('x', 100), firing('y', 30)])).toEqual([])
    expect(collectFirings(all, [firing('x', 100), firing('y', 50)])).toEqual([['x@100', 'y@50']])
    expect(collectFirings(all, [firing('x', 100), firing('x', 50), firing('y', 150)])).toEqual([['x@100', 'y@150']])
  })

  test('waits indefinitely without a period', () => {
    expect(collectFirings(compound('all', null, 'x', 'y'), [firing('x', 1), firing('y', 9_999_999)])).toHaveLength(1)
  })
})

describe('a sequence trigger', () => {
  const sequence = (within: number | null, ...ids: string[]): SequenceTrigger => ({ type: 'sequence', id: 's', within, triggers: children(...ids) })

  test('fires when its children fire in order', () => {
    expect(collectFirings(sequence(60, 'x', 'y', 'z'), [firing('x', 1), firing('y', 2), firing('z', 3)])).toEqual([['x@1', 'y@2', 'z@3']])
  })

  test('does not fire in a different order until the order is complete', () => {
    expect(collectFirings(sequence(60, 'x', 'y'), [firing('y', 1), firing('x', 2)])).toEqual([])
    expect(collectFirings(sequence(60, 'x', 'y'), [firing('y', 1), firing('x', 2), firing('y', 3)])).toEqual([['x@2', 'y@3']])
  })

  test('moves a child that fires again to its new position', () => {
    expect(collectFirings(sequence(null, 'x', 'y', 'z'), [firing('x', 1), firing('y', 2), firing('x', 3), firing('z', 4)])).toEqual([])
  })

  test('orders firings of the same time by log position', () => {
    expect(collectFirings(sequence(60, 'x', 'y'), [firing('x', 1, 1), firing('y', 1, 2)])).toHaveLength(1)
    expect(collectFirings(sequence(60, 'x', 'y'), [firing('y', 1, 1), firing('x', 1, 2)])).toHaveLength(0)
  })

  test('orders late firings by log position', () => {
    expect(collectFirings(sequence(60, 'x', 'y'), [firing('y', 10), firing('x', 5)])).toEqual([['x@5', 'y@10']])
  })

  test('fires only within its period', () => {
    expect(collectFirings(sequence(10, 'x', 'y'), [firing('x', 1), firing('y', 12)])).toEqual([])
  })

  test('fires like its only child, and never without children', () => {
    expect(collectFirings(sequence(10, 'x'), [firing('x', 1), firing('x', 2)])).toEqual([['x@1'], ['x@2']])
    expect(collectFirings(sequence(10), [])).toEqual([])
  })
})
