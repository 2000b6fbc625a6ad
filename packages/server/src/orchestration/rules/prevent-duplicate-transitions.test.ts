import { expect, test } from 'vitest'
import { flowContext, stateWithDetails } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { preventDuplicateTransitions } from './prevent-duplicate-transitions.ts'

const once = { transition_id: 'once' }

test.each([
  ['a repeated request', stateWithDetails('RUNNING', once), stateWithDetails('RUNNING', once)],
  ['the same id with another type', stateWithDetails('RUNNING', once), stateWithDetails('COMPLETED', once)],
])('rejects %s with the current state', (_name, from, to) => {
  expect(preventDuplicateTransitions.decide(flowContext(from, to))).toMatchObject({
    kind: 'reject',
    state: null,
    reason: 'This transition was already made and led to Running.',
    facts: { transition_id: 'once', state_id: from.id },
  })
})

test.each([
  ['another id', stateWithDetails('RUNNING', once), stateWithDetails('RUNNING', { transition_id: 'twice' })],
  ['no ids', 'RUNNING' as const, 'RUNNING' as const],
  ['no id in the proposed state', stateWithDetails('RUNNING', once), 'RUNNING' as const],
  ['no id in the current state', 'RUNNING' as const, stateWithDetails('RUNNING', once)],
])('accepts %s', (_name, from, to) => {
  expect(preventDuplicateTransitions.decide(flowContext(from, to))).toBe(accept)
})
