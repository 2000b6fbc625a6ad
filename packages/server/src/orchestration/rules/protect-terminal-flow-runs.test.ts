import { expect, test } from 'vitest'
import { aState, flowContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { protectTerminalFlowRuns } from './protect-terminal-flow-runs.ts'

const decide = protectTerminalFlowRuns.decide
const persisted = aState('COMPLETED', { data: '{"type":"reference","key":"k"}' })
const deployed = { deployment_id: 'd' }

test.each([
  ['FAILED', 'CRASHED', 'This run has already ended as Failed and cannot become Crashed.'],
  ['CANCELLED', 'PAUSED', 'This run has already ended as Cancelled and cannot become Paused.'],
  ['COMPLETED', 'CANCELLING', 'This run has already ended as Completed and cannot become Cancelling.'],
] as const)('aborts from %s to %s', (from, to, reason) => {
  expect(decide(flowContext(from, to))).toMatchObject({ kind: 'abort', reason, facts: { state_type: from } })
})

test.each(['RUNNING', 'PENDING', 'SCHEDULED'] as const)('rejects %s for a run with a persisted result', (to) => {
  expect(decide(flowContext(persisted, to, { run: deployed }))).toMatchObject({ kind: 'reject', state: null, facts: { state_name: 'Completed' } })
})

test.each([
  ['accepts Failed after a persisted result', persisted, 'FAILED'],
  ['accepts Completed after a persisted result (prevent-result-loss decides)', persisted, 'COMPLETED'],
  ['accepts Cancelled after a persisted result', persisted, 'CANCELLED'],
  ['accepts another terminal state', 'CRASHED', 'FAILED'],
] as const)('%s', (_name, from, to) => {
  expect(decide(flowContext(from, to))).toBe(accept)
})

test('aborts scheduling a run without a deployment', () => {
  expect(decide(flowContext('FAILED', 'SCHEDULED'))).toMatchObject({ kind: 'abort', facts: { deployment_id: null } })
})

test.each([
  ['an unpersisted result', aState('COMPLETED', { data: '{"type":"unpersisted"}' })],
  ['a string', aState('COMPLETED', { data: '"done"' })],
  ['a list', aState('COMPLETED', { data: '[1]' })],
  ['no data', aState('COMPLETED')],
])('lets a run with %s run again', (_name, from) => {
  expect(decide(flowContext(from, 'RUNNING'))).toMatchObject({ kind: 'accept' })
})

test.each([
  ['SCHEDULED', 'reschedule'],
  ['RUNNING', null],
  ['PENDING', null],
] as const)('clears the pause keys when leaving a terminal state for %s; the retry type is %s', (to, retry_type) => {
  const empirical_policy = { pause_keys: ['one'], resuming: true, retry_type: 'in_process', retries: 2 } as const
  expect(decide(flowContext('FAILED', to, { run: { ...deployed, empirical_policy } }))).toMatchObject({
    kind: 'accept',
    changes: { empirical_policy: { pause_keys: [], resuming: false, retry_type, retries: 2 } },
  })
})
