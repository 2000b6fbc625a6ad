import { describeTrigger } from '@millrace/client/vocabulary/describe-trigger.ts'
import type { TriggerDraft } from '@millrace/client/vocabulary/event-trigger.ts'
import { expect, test } from 'vitest'
import { describeActions, triggerLine } from './describe-automation.ts'

const event: TriggerDraft = { posture: 'Reactive', expect: ['a'] }

test.each<[TriggerDraft, string]>([
  [{ posture: 'Reactive' }, 'any event occurs'],
  [{ posture: 'Reactive', expect: ['a', 'b'], threshold: 3, within: 300 }, 'a or b occurs 3 times within 5m'],
  [{ type: 'compound', require: 'all', within: 60, triggers: [event, event] }, 'all of these occur within 1m: a occurs; a occurs'],
  [
    { type: 'sequence', within: null, triggers: [event, { type: 'compound', require: 1, within: null, triggers: [event] }] },
    'these occur in order: a occurs; (1 of these occur: a occurs)',
  ],
])('describes a trigger in one line: %#', (trigger, text) => {
  expect(triggerLine(describeTrigger(trigger))).toBe(text)
})

test('counts actions of the same type', () => {
  expect(describeActions([{ type: 'do-nothing' }, { type: 'cancel-flow-run' }, { type: 'do-nothing' }])).toBe('do-nothing ×2, cancel-flow-run')
})
