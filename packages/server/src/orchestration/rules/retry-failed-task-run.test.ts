import { expect, test } from 'vitest'
import { aState, stateWithDetails, taskContext, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { retryFailedTaskRun } from './retry-failed-task-run.ts'

const failed = aState('FAILED', { message: 'disk full', data: '[1]' })

test.each([
  ['one delay', 30, 1, 30],
  ['one delay, again', 30, 2, 30],
  ['a fraction', 0.25, 1, 0.25],
  ['none', null, 1, 0],
  ['a list: the first', [0, 600], 1, 0],
  ['a list: the second', [0, 600], 2, 600],
  ['a list: the last one repeats', [0, 600], 3, 600],
  ['an empty list', [], 1, 0],
])('%s', (_name, retry_delay, run_count, seconds) => {
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
])('jitter at %d moves 100 seconds to %d', (random, seconds) => {
  const empirical_policy = { retries: 1, retry_delay: 100, retry_jitter_factor: 0.5 }
  const verdict = retryFailedTaskRun.decide(taskContext('RUNNING', failed, { run: { run_count: 1, empirical_policy }, random }))
  expect(verdict).toMatchObject({ facts: { delay_seconds: expect.closeTo(seconds, 0) } })
})

test.each([
  ['jitter of nothing', { retries: 1, retry_delay: 0, retry_jitter_factor: 0.5 }],
  ['no jitter', { retries: 1, retry_delay: 0, retry_jitter_factor: 0 }],
])('%s is nothing', (_name, empirical_policy) => {
  expect(retryFailedTaskRun.decide(taskContext('RUNNING', failed, { run: { run_count: 1, empirical_policy } }))).toMatchObject({
    facts: { delay_seconds: 0 },
  })
})

test.each([
  ['the last attempt', failed, 3, 2],
  ['no retries asked for', failed, 1, null],
  ['trying again is pointless', stateWithDetails('FAILED', { retriable: false }), 1, 2],
])('%s: stays failed', (_name, to, run_count, retries) => {
  expect(retryFailedTaskRun.decide(taskContext('RUNNING', to, { run: { run_count, empirical_policy: { retries } } }))).toBe(accept)
})

test('retriable may be said', () => {
  const to = stateWithDetails('FAILED', { retriable: true })
  expect(retryFailedTaskRun.decide(taskContext('RUNNING', to, { run: { run_count: 1, empirical_policy: { retries: 1 } } }))).toMatchObject({
    state: { name: 'AwaitingRetry', state_details: { retriable: null } },
  })
})
