import { expect, test } from 'vitest'
import { aState, taskContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { protectTerminalTaskRuns } from './protect-terminal-task-runs.ts'

const decide = protectTerminalTaskRuns.decide
const persisted = aState('COMPLETED', { data: '{"type":"reference"}' })
const inFlow = (flow_run_run_count: number, run_count: number) => ({
  run_count: 3,
  flow_run_id: 'flow-run',
  flow_run_run_count,
  flowRun: { state: aState('RUNNING'), run_count },
})

test.each(['CRASHED', 'PAUSED', 'CANCELLING'] as const)('aborts %s for a finished task run', (to) => {
  expect(decide(taskContext('FAILED', to))).toMatchObject({ kind: 'abort', facts: { state_type: 'FAILED' } })
})

test.each(['RUNNING', 'FAILED', 'COMPLETED', 'PENDING', 'SCHEDULED'] as const)('rejects %s for a task run with a persisted result', (to) => {
  expect(decide(taskContext(persisted, to))).toMatchObject({ kind: 'reject', state: null })
})

test('accepts another terminal state', () => {
  expect(decide(taskContext(aState('COMPLETED', { data: '{"type":"unpersisted"}' }), 'FAILED', { run: { run_count: 3 } }))).toBe(accept)
})

test.each(['RUNNING', 'PENDING', 'SCHEDULED'] as const)('resets the run count when leaving a terminal state for %s', (to) => {
  const verdict = decide(taskContext('FAILED', to, { run: { run_count: 3 } }))
  expect(verdict).toMatchObject({ kind: 'accept', changes: { run_count: 0 } })
  expect(verdict).toHaveProperty('state', undefined)
})

test.each([
  ['names the state Retrying in a newer flow run attempt', inFlow(1, 2), 'RUNNING', 'Retrying'],
  ['keeps the name in the same attempt', inFlow(2, 2), 'RUNNING', undefined],
  ['keeps the name of Pending', inFlow(1, 2), 'PENDING', undefined],
] as const)('%s', (_name, run, to, name) => {
  const verdict = decide(taskContext('FAILED', to, { run }))
  expect(verdict).toMatchObject({ kind: 'accept', changes: { run_count: 0 } })
  expect(verdict.kind === 'accept' && verdict.state?.name).toBe(name)
})
