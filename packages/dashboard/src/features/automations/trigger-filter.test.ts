import { expect, test } from 'vitest'
import { listEventTriggers, triggerFilter } from './trigger-filter.ts'

const since = '2030-01-01T00:00:00Z'

test('filters by names, and by prefixes for patterns', () => {
  expect(triggerFilter({ posture: 'Reactive', expect: ['a', 'b'] }, since).event).toEqual({ name: ['a', 'b'] })
  expect(triggerFilter({ posture: 'Proactive', expect: ['a.*'], after: ['b'] }, since).event).toEqual({ prefix: ['a.', 'b'] })
  expect(triggerFilter({ posture: 'Reactive', expect: ['*'] }, since).event).toBeUndefined()
  expect(triggerFilter({ posture: 'Reactive', after: ['b'] }, since).event).toBeUndefined()
})

test('filters by labels of the resource and related resources that have values', () => {
  const filter = triggerFilter({ posture: 'Reactive', match: { a: 'x', b: [], '': 'y' }, match_related: [{ role: ['flow'] }, {}] }, since)
  expect(filter.resource).toEqual({ labels: { a: 'x' } })
  expect(filter.related).toEqual([{ labels: { role: ['flow'] } }])
})

test('finds nested triggers', () => {
  const event = { posture: 'Reactive' as const, expect: ['a'] }
  const group = { type: 'compound' as const, require: 'all' as const, within: null, triggers: [event] }
  expect(listEventTriggers({ type: 'sequence', within: null, triggers: [event, group] })).toHaveLength(2)
})
