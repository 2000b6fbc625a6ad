import type { EventTrigger, Trigger } from '@millrace/contracts/trigger.ts'
import { expect, test } from 'vitest'
import { describeActions, describeTrigger } from './describe-automation.ts'

const event = (fields: Partial<EventTrigger>): EventTrigger => ({
  type: 'event',
  id: '0',
  match: {},
  match_related: {},
  after: [],
  expect: [],
  for_each: [],
  posture: 'Reactive',
  threshold: 1,
  within: 0,
  ...fields,
})

test.each<[Trigger, string]>([
  [event({}), 'any event'],
  [event({ expect: ['a', 'b'] }), 'a or b'],
  [event({ expect: ['a'], threshold: 3, within: 300 }), 'a 3 times within 5m'],
  [event({ expect: ['b'], after: ['a'], posture: 'Proactive', within: 10 }), 'no b after a within 10s'],
  [
    { type: 'compound', id: '0', require: 'all', within: 60, triggers: [event({ expect: ['a'] }), event({ expect: ['b'] })] },
    'all of (a; b) within 1m',
  ],
  [{ type: 'compound', id: '0', require: 1, within: null, triggers: [event({ expect: ['a'] })] }, '1 of (a)'],
  [{ type: 'sequence', id: '0', within: null, triggers: [event({ expect: ['a'] }), event({ expect: ['b'] })] }, 'a, then b'],
])('describes a trigger in one line: %#', (trigger, text) => {
  expect(describeTrigger(trigger)).toBe(text)
})

test('counts actions of the same type', () => {
  expect(describeActions([{ type: 'do-nothing' }, { type: 'cancel-flow-run' }, { type: 'do-nothing' }])).toBe('do-nothing ×2, cancel-flow-run')
})
