import { expect, test } from 'vitest'
import { describeTrigger, plainText, type TextPart } from './describe-trigger.ts'
import type { TriggerDraft } from './event-trigger.ts'
import { defaultStatus, toEventTrigger } from './status-trigger.ts'

const toText = (parts: readonly TextPart[]) => plainText(parts, (seconds) => `${seconds} s`)
const textOf = (trigger: TriggerDraft) => toText(describeTrigger(trigger).parts)

test.each<[TriggerDraft, string]>([
  [toEventTrigger(defaultStatus('flow-run')), 'When a run enters Failed or Crashed'],
  [
    toEventTrigger({
      ...defaultStatus('flow-run'),
      states: ['Late'],
      stays: true,
      seconds: 600,
      related: { flow: ['prefect.flow.1'], tag: ['prefect.tag.ml'] },
    }),
    'When a run of prefect.flow.1 tagged prefect.tag.ml stays in Late for 600 s',
  ],
  [
    toEventTrigger({ ...defaultStatus('work-pool'), resourceIds: ['prefect.work-pool.1'], stays: true, seconds: 60 }),
    'When prefect.work-pool.1 stays Not ready for 60 s',
  ],
  [toEventTrigger({ ...defaultStatus('deployment'), times: 3, seconds: 3600 }), 'When a deployment becomes Not ready 3 times within 3600 s'],
  [{ posture: 'Reactive', expect: ['order.*'], threshold: 2, within: 60 }, 'When order.* occurs 2 times within 60 s'],
  [
    { posture: 'Proactive', expect: ['beat'], after: ['start'], within: 30, match: { 'prefect.resource.id': 'pump.1', place: ['cellar', 'roof'] } },
    'When beat on pump.1, place cellar or roof does not occur within 30 s after start',
  ],
  [
    { posture: 'Reactive', for_each: ['city'], match_related: [{ kind: 'x' }] },
    'When any event with something, kind x occurs, counted separately by city',
  ],
])('%j', (trigger, words) => {
  expect(textOf(trigger)).toBe(words)
})

test('describes nested triggers as children', () => {
  const event: TriggerDraft = { posture: 'Reactive', expect: ['a'] }
  const sentence = describeTrigger({
    type: 'sequence',
    within: 3600,
    triggers: [event, { type: 'compound', require: 'any', within: null, triggers: [event, event] }],
  })
  expect(toText(sentence.parts)).toBe('When these occur in order within 3600 s')
  expect(sentence.children.map(({ parts: pieces }) => toText(pieces))).toEqual(['When a occurs', 'When any of these occurs'])
  expect(sentence.children[1]?.children).toHaveLength(2)
})
