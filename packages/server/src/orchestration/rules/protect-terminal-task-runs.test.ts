import { expect, test } from 'vitest'
import { aState, taskContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { protectTerminalTaskRuns } from './protect-terminal-task-runs.ts'

const decide = protectTerminalTaskRuns.decide
const kept = aState('COMPLETED', { data: '{"type":"reference"}' })
const inFlow = (flow_run_run_count: number, run_count: number) => ({
  run_count: 3,
  flow_run_id: 'flow-run',
  flow_run_run_count,
  flowRun: { state: aState('RUNNING'), run_count },
})

test.each(['CRASHED', 'PAUSED', 'CANCELLING'] as const)('what has ended does not become %s', (to) => {
  expect(decide(taskContext('FAILED', to))).toMatchObject({ kind: 'abort', facts: { state_type: 'FAILED' } })
})

test.each(['RUNNING', 'FAILED', 'COMPLETED', 'PENDING', 'SCHEDULED'] as const)('a kept result stays: not to %s', (to) => {
  expect(decide(taskContext(kept, to))).toMatchObject({ kind: 'reject', state: null })
})

test('one end may follow another', () => {
  expect(decide(taskContext(aState('COMPLETED', { data: '{"type":"unpersisted"}' }), 'FAILED', { run: { run_count: 3 } }))).toBe(accept)
})

test.each(['RUNNING', 'PENDING', 'SCHEDULED'] as const)('leaving an end for %s starts the count again', (to) => {
  const verdict = decide(taskContext('FAILED', to, { run: { run_count: 3 } }))
  expect(verdict).toMatchObject({ kind: 'accept', changes: { run_count: 0 } })
  expect(verdict).toHaveProperty('state', undefined)
})

test.each([
  ['a newer attempt of the flow run makes it a retry', inFlow(1, 2), 'RUNNING', 'Retrying'],
  ['the same attempt does not', inFlow(2, 2), 'RUNNING', undefined],
  ['nor is waiting a retry', inFlow(1, 2), 'PENDING', undefined],
] as const)('%s', (_name, run, to, name) => {
  const verdict = decide(taskContext('FAILED', to, { run }))
  expect(verdict).toMatchObject({ kind: 'accept', changes: { run_count: 0 } })
  expect(verdict.kind === 'accept' && verdict.state?.name).toBe(name)
})
