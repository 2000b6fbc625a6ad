import { expect, test } from 'vitest'
import { aState, flowContext, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { retryCrashedFlowRun } from './retry-crashed-flow-run.ts'

const crashed = aState('CRASHED', { message: 'No heartbeat for 95 s' })
const deployed = { deployment_id: 'deployment' }

test.each([
  ['RUNNING', 1, 1],
  ['RUNNING', 2, 2],
  ['PENDING', 0, 1],
] as const)('reschedules a run that was %s with run count %d, as attempt %d of 3', (from, run_count, attempt) => {
  const run = { ...deployed, run_count, empirical_policy: { retries: 2, retry_delay: 30, pause_keys: ['k'] } }
  expect(retryCrashedFlowRun.decide(flowContext(from, crashed, { run }))).toMatchObject({
    kind: 'reject',
    state: {
      type: 'SCHEDULED',
      name: 'AwaitingRetry',
      message: 'No heartbeat for 95 s',
      state_details: { scheduled_time: timeAfter(30), deployment_concurrency_lease_id: null },
    },
    reason: `Attempt ${attempt} of 3 crashed; the next one starts in 30 seconds.`,
    changes: { run_count: attempt, empirical_policy: { pause_keys: [], retry_type: 'reschedule' } },
  })
})

test.each([
  ['the last attempt', 'RUNNING', { ...deployed, run_count: 3, empirical_policy: { retries: 2 } }],
  ['a run that never started and has no retries', 'PENDING', { ...deployed, run_count: 0, empirical_policy: { retries: 0 } }],
  ['a run without retries', 'RUNNING', { ...deployed, run_count: 1 }],
  ['a run without a deployment', 'RUNNING', { run_count: 1, empirical_policy: { retries: 2 } }],
] as const)('leaves %s crashed', (_name, from, run) => {
  expect(retryCrashedFlowRun.decide(flowContext(from, crashed, { run }))).toMatchObject({
    kind: 'accept',
    changes: { empirical_policy: { retry_type: null } },
  })
})
