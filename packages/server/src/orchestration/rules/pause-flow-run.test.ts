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
] as const)('from %s: stays', (from, reason) => {
  expect(decide(flowContext(from, 'PAUSED'))).toMatchObject({ kind: 'reject', state: null, reason })
})

test('a run without a state: no', () => {
  expect(decide(flowContext(null, 'PAUSED'))).toMatchObject({ kind: 'abort' })
})

test.each([
  ['the key that was sent', keyed('two'), ['one', 'two']],
  ['an empty key', keyed(''), ['one', '']],
  ['one of its own', keyed(null), ['one', 'id-1']],
])('a pause is noted under %s', (_name, to, pause_keys) => {
  expect(decide(flowContext('RUNNING', to, { run: { empirical_policy: { pause_keys: ['one'], retries: 3 } } }))).toMatchObject({
    kind: 'accept',
    changes: { empirical_policy: { pause_keys, retries: 3 } },
  })
})

test('a policy without keys gets some', () => {
  expect(decide(flowContext('RUNNING', keyed('one'), { run: { empirical_policy: { pause_keys: null } } }))).toMatchObject({
    changes: { empirical_policy: { pause_keys: ['one'] } },
  })
})

test('each pause happens once', () => {
  expect(decide(flowContext('RUNNING', keyed('one'), { run: { empirical_policy: { pause_keys: ['one'] } } }))).toMatchObject({
    kind: 'reject',
    state: null,
    facts: { pause_key: 'one' },
  })
})

test.each([
  ['a subflow', { deployment_id: 'd', parent_task_run_id: 'holder' }, { parent_task_run_id: 'holder' }],
  ['a run of no deployment', {}, { deployment_id: null }],
])('%s is not suspended', (_name, run, facts) => {
  expect(decide(flowContext('RUNNING', suspended, { run }))).toMatchObject({ kind: 'abort', reason: expect.stringContaining('suspended'), facts })
})

test('a run of a deployment is', () => {
  expect(decide(flowContext('RUNNING', suspended, { run: { deployment_id: 'd' } }))).toMatchObject({ kind: 'accept' })
})

test('a subflow may pause inside its process', () => {
  expect(decide(flowContext('RUNNING', keyed('k'), { run: { parent_task_run_id: 'holder' } }))).toMatchObject({ kind: 'accept' })
})
