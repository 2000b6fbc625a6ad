import { expect, test } from 'vitest'
import { aState, flowContext, stateWithDetails, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { retryFailedFlowRun } from './retry-failed-flow-run.ts'

const failed = aState('FAILED', { message: 'disk full', data: '{"why":1}' })
const policy = { retries: 2, retry_delay: 30, pause_keys: ['k'], resuming: true }

test.each([1, 2])('reschedules after attempt %d of 3 with the delay and the message of the failure', (run_count) => {
  expect(retryFailedFlowRun.decide(flowContext('RUNNING', failed, { run: { run_count, empirical_policy: policy } }))).toMatchObject({
    kind: 'reject',
    state: {
      type: 'SCHEDULED',
      name: 'AwaitingRetry',
      message: 'disk full',
      data: '{"why":1}',
      state_details: { scheduled_time: timeAfter(30), deployment_concurrency_lease_id: null },
    },
    reason: `Attempt ${run_count} of 3 failed; the next one starts in 30 seconds.`,
    facts: { run_count, retries: 2, retry_delay: 30 },
    changes: { empirical_policy: { retries: 2, pause_keys: [], resuming: false, retry_type: 'in_process' } },
  })
})

test('reschedules for now without a delay', () => {
  const run = { run_count: 1, empirical_policy: { retries: 1 } }
  expect(retryFailedFlowRun.decide(flowContext('RUNNING', failed, { run }))).toMatchObject({
    state: { state_details: { scheduled_time: timeAfter(0) } },
  })
})

test('keeps the lease id', () => {
  const from = stateWithDetails('RUNNING', { deployment_concurrency_lease_id: 'lease' })
  expect(retryFailedFlowRun.decide(flowContext(from, failed, { run: { run_count: 1, empirical_policy: policy } }))).toMatchObject({
    state: { state_details: { deployment_concurrency_lease_id: 'lease' } },
  })
})

test.each([
  ['the last attempt', 3, { retries: 2, retry_type: 'in_process' as const }],
  ['a run with null retries', 1, { retries: null }],
  ['a run with 0 retries', 1, { retries: 0 }],
])('leaves %s failed and clears the retry type', (_name, run_count, empirical_policy) => {
  expect(retryFailedFlowRun.decide(flowContext('RUNNING', failed, { run: { run_count, empirical_policy } }))).toMatchObject({
    kind: 'accept',
    changes: { empirical_policy: { retries: empirical_policy.retries, retry_type: null } },
  })
})
