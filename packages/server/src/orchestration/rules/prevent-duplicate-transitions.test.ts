import { expect, test } from 'vitest'
import { detailed, flowContext } from '../fixtures.ts'
import { accept } from '../verdict.ts'
import { preventDuplicateTransitions } from './prevent-duplicate-transitions.ts'

const once = { transition_id: 'once' }

test.each([
  ['the same request again', detailed('RUNNING', once), detailed('RUNNING', once)],
  ['the same id with another type', detailed('RUNNING', once), detailed('COMPLETED', once)],
])('%s: the run stays where the first one led', (_name, from, to) => {
  expect(preventDuplicateTransitions.decide(flowContext(from, to))).toMatchObject({
    kind: 'reject',
    state: null,
    reason: 'This transition was already made and led to Running.',
    facts: { transition_id: 'once', state_id: from.id },
  })
})

test.each([
  ['another id', detailed('RUNNING', once), detailed('RUNNING', { transition_id: 'twice' })],
  ['no id on either', 'RUNNING' as const, 'RUNNING' as const],
  ['no id with the new one', detailed('RUNNING', once), 'RUNNING' as const],
  ['no id with the old one', 'RUNNING' as const, detailed('RUNNING', once)],
])('%s: goes on', (_name, from, to) => {
  expect(preventDuplicateTransitions.decide(flowContext(from, to))).toBe(accept)
})
