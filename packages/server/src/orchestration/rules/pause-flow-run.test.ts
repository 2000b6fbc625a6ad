import { expect, test } from 'vitest'
import { flowContext, stateWithDetails } from '../../../test/orchestration-fixtures.ts'
import { pauseFlowRun } from './pause-flow-run.ts'

const decide = pauseFlowRun.decide
const keyed = (pause_key: string | null) => stateWithDetails('PAUSED', { pause_key })
const suspended = stateWithDetails('PAUSED', { pause_reschedule: true, pause_key: 'k' }, 'Suspended')

test.each([
  ['SCHEDULED', 'Only a running run can be paused, and this one is Scheduled.'],
  ['PENDING', 'Only a running run can be paused, and this one is Pending.'],
  ['PAUSED', 'Only a running run can be paused, and this one is Paused.'],
] as const)('rejects a pause from %s', (from, reason) => {
  expect(decide(flowContext(from, 'PAUSED'))).toMatchObject({ kind: 'reject', state: null, reason })
})

test('aborts for a run without a state', () => {
  expect(decide(flowContext(null, 'PAUSED'))).toMatchObject({ kind: 'abort' })
})

test.each([
  ['the pause key of the state', keyed('two'), ['one', 'two']],
  ['an empty key', keyed(''), ['one', '']],
  ['a generated key', keyed(null), ['one', 'id-1']],
])('records a pause under %s', (_name, to, pause_keys) => {
  expect(decide(flowContext('RUNNING', to, { run: { empirical_policy: { pause_keys: ['one'], retries: 3 } } }))).toMatchObject({
    kind: 'accept',
    changes: { empirical_policy: { pause_keys, retries: 3 } },
  })
})

test('records the key in a policy with null keys', () => {
  expect(decide(flowContext('RUNNING', keyed('one'), { run: { empirical_policy: { pause_keys: null } } }))).toMatchObject({
    changes: { empirical_policy: { pause_keys: ['one'] } },
  })
})

test('rejects a pause key that was used', () => {
  expect(decide(flowContext('RUNNING', keyed('one'), { run: { empirical_policy: { pause_keys: ['one'] } } }))).toMatchObject({
    kind: 'reject',
    state: null,
    facts: { pause_key: 'one' },
  })
})

test.each([
  ['a subflow', { deployment_id: 'd', parent_task_run_id: 'holder' }, { parent_task_run_id: 'holder' }],
  ['a run without a deployment', {}, { deployment_id: null }],
])('does not suspend %s', (_name, run, facts) => {
  expect(decide(flowContext('RUNNING', suspended, { run }))).toMatchObject({ kind: 'abort', reason: expect.stringContaining('suspended'), facts })
})

test('suspends a run of a deployment', () => {
  expect(decide(flowContext('RUNNING', suspended, { run: { deployment_id: 'd' } }))).toMatchObject({ kind: 'accept' })
})

test('pauses a subflow in its process', () => {
  expect(decide(flowContext('RUNNING', keyed('k'), { run: { parent_task_run_id: 'holder' } }))).toMatchObject({ kind: 'accept' })
})
