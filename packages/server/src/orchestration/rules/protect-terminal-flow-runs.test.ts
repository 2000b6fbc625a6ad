import { expect, test } from 'vitest'
import { aState, flowContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { protectTerminalFlowRuns } from './protect-terminal-flow-runs.ts'

const decide = protectTerminalFlowRuns.decide
const kept = aState('COMPLETED', { data: '{"type":"reference","key":"k"}' })
const deployed = { deployment_id: 'd' }

test.each([
  ['FAILED', 'CRASHED', 'This run has already ended as Failed and cannot become Crashed.'],
  ['CANCELLED', 'PAUSED', 'This run has already ended as Cancelled and cannot become Paused.'],
  ['COMPLETED', 'CANCELLING', 'This run has already ended as Completed and cannot become Cancelling.'],
] as const)('%s to %s: no', (from, to, reason) => {
  expect(decide(flowContext(from, to))).toMatchObject({ kind: 'abort', reason, facts: { state_type: from } })
})

test.each(['RUNNING', 'PENDING', 'SCHEDULED'] as const)('a kept result is not computed again: %s', (to) => {
  expect(decide(flowContext(kept, to, { run: deployed }))).toMatchObject({ kind: 'reject', state: null, facts: { state_name: 'Completed' } })
})

test.each([
  ['a kept result may be followed by a failure', kept, 'FAILED'],
  ['by another completion, about which another rule speaks', kept, 'COMPLETED'],
  ['and by being cancelled', kept, 'CANCELLED'],
  ['one end to another', 'CRASHED', 'FAILED'],
] as const)('%s', (_name, from, to) => {
  expect(decide(flowContext(from, to))).toBe(accept)
})

test('a run of no deployment is not scheduled again', () => {
  expect(decide(flowContext('FAILED', 'SCHEDULED'))).toMatchObject({ kind: 'abort', facts: { deployment_id: null } })
})

test.each([
  ['a result that was not kept', aState('COMPLETED', { data: '{"type":"unpersisted"}' })],
  ['text', aState('COMPLETED', { data: '"done"' })],
  ['a list', aState('COMPLETED', { data: '[1]' })],
  ['nothing', aState('COMPLETED')],
])('%s does not keep a run from running again', (_name, from) => {
  expect(decide(flowContext(from, 'RUNNING'))).toMatchObject({ kind: 'accept' })
})

test.each([
  ['SCHEDULED', 'reschedule'],
  ['RUNNING', null],
  ['PENDING', null],
] as const)('leaving an end for %s forgets the pauses; the retry is %s', (to, retry_type) => {
  const empirical_policy = { pause_keys: ['one'], resuming: true, retry_type: 'in_process', retries: 2 } as const
  expect(decide(flowContext('FAILED', to, { run: { ...deployed, empirical_policy } }))).toMatchObject({
    kind: 'accept',
    changes: { empirical_policy: { pause_keys: [], resuming: false, retry_type, retries: 2 } },
  })
})
