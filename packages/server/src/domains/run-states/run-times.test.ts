import { expect, test } from 'vitest'
import { at, now } from '../../../test/orchestration-fixtures.ts'
import { estimatedRunTime, estimatedStartTimeDelta, type RunTimes } from './run-times.ts'

const second = at(1) - now
const run = (more: Partial<RunTimes>): RunTimes => ({
  state_type: 'SCHEDULED',
  state_timestamp: at(-5),
  expected_start_time: null,
  start_time: null,
  total_run_time: 0,
  ...more,
})

test.each([
  ['grows until now while running', { state_type: 'RUNNING', total_run_time: 10 * second }, 15],
  ['stays in other states', { state_type: 'PAUSED', total_run_time: 10 * second }, 10],
  ['does not shrink by a clock that is behind', { state_type: 'RUNNING', state_timestamp: at(5), total_run_time: 10 * second }, 10],
  ['is 0 without a state', { state_type: null, state_timestamp: null }, 0],
] as const)('run time %s', (_name, more, seconds) => {
  expect(estimatedRunTime(run(more), now)).toBe(seconds * second)
})

test.each([
  ['started late', { expected_start_time: at(-9), start_time: at(-2), state_type: 'RUNNING' }, 7],
  ['started early', { expected_start_time: at(-2), start_time: at(-9), state_type: 'RUNNING' }, 0],
  ['is overdue', { expected_start_time: at(-9) }, 9],
  ['is not due yet', { expected_start_time: at(9) }, 0],
  ['ended without a start', { expected_start_time: at(-9), state_type: 'CANCELLED' }, 0],
  ['ended, and had started late', { expected_start_time: at(-9), start_time: at(-8), state_type: 'FAILED' }, 1],
  ['has no expected start', {}, 0],
  ['has no state yet', { expected_start_time: at(-3), state_type: null }, 3],
] as const)('lateness: %s', (_name, more, seconds) => {
  expect(estimatedStartTimeDelta(run(more), now)).toBe(seconds * second)
})
