import { expect, test } from 'vitest'
import { aState, stateWithDetails, taskContext, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { retryFailedTaskRun } from './retry-failed-task-run.ts'

const failed = aState('FAILED', { message: 'disk full', data: '[1]' })

test.each([
  ['a single delay', 30, 1, 30],
  ['a single delay for the second attempt', 30, 2, 30],
  ['a fraction of a second', 0.25, 1, 0.25],
  ['no delay', null, 1, 0],
  ['the first delay of a list', [0, 600], 1, 0],
  ['the second delay of a list', [0, 600], 2, 600],
  ['the last delay of a list for further attempts', [0, 600], 3, 600],
  ['an empty list', [], 1, 0],
])('applies %s', (_name, retry_delay, run_count, seconds) => {
  expect(
    retryFailedTaskRun.decide(taskContext('RUNNING', failed, { run: { run_count, empirical_policy: { retries: 3, retry_delay } } })),
  ).toMatchObject({
    kind: 'reject',
    state: { type: 'SCHEDULED', name: 'AwaitingRetry', message: 'disk full', data: '[1]', state_details: { scheduled_time: timeAfter(seconds) } },
    facts: { run_count, retries: 3, delay_seconds: seconds },
  })
})

test.each([
  [0, 62.94],
  [0.999999, 150],
])('with random %d changes 100 seconds to %d', (random, seconds) => {
  const empirical_policy = { retries: 1, retry_delay: 100, retry_jitter_factor: 0.5 }
  const verdict = retryFailedTaskRun.decide(taskContext('RUNNING', failed, { run: { run_count: 1, empirical_policy }, random }))
  expect(verdict).toMatchObject({ facts: { delay_seconds: expect.closeTo(seconds, 0) } })
})

test.each([
  ['jitter on a delay of 0', { retries: 1, retry_delay: 0, retry_jitter_factor: 0.5 }],
  ['a jitter factor of 0', { retries: 1, retry_delay: 0, retry_jitter_factor: 0 }],
])('adds no delay for %s', (_name, empirical_policy) => {
  expect(retryFailedTaskRun.decide(taskContext('RUNNING', failed, { run: { run_count: 1, empirical_policy } }))).toMatchObject({
    facts: { delay_seconds: 0 },
  })
})

test.each([
  ['the last attempt', failed, 3, 2],
  ['a run with null retries', failed, 1, null],
  ['a failure that is not retriable', stateWithDetails('FAILED', { retriable: false }), 1, 2],
])('leaves %s failed', (_name, to, run_count, retries) => {
  expect(retryFailedTaskRun.decide(taskContext('RUNNING', to, { run: { run_count, empirical_policy: { retries } } }))).toBe(accept)
})

test('retries a failure with retriable: true', () => {
  const to = stateWithDetails('FAILED', { retriable: true })
  expect(retryFailedTaskRun.decide(taskContext('RUNNING', to, { run: { run_count: 1, empirical_policy: { retries: 1 } } }))).toMatchObject({
    state: { name: 'AwaitingRetry', state_details: { retriable: null } },
  })
})
