import { expect, test } from 'vitest'
import { aState, stateWithDetails, taskContext, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { tasksOfStoppedFlows } from './tasks-of-stopped-flows.ts'

const under = (state: ReturnType<typeof aState> | null) => ({ flow_run_id: 'flow-run', flowRun: { state, run_count: 1 } })

test.each(['SCHEDULED', 'PENDING', 'COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED', 'CANCELLING'] as const)('aborts if the flow run is %s', (type) => {
  expect(tasksOfStoppedFlows.decide(taskContext('PENDING', 'RUNNING', { run: under(aState(type)) }))).toMatchObject({
    kind: 'abort',
    facts: { flow_run_id: 'flow-run', flow_run_state_type: type },
  })
})

test('aborts if the flow run has no state', () => {
  expect(tasksOfStoppedFlows.decide(taskContext('PENDING', 'RUNNING', { run: under(null) }))).toMatchObject({ kind: 'abort' })
})

test.each([
  { pause_timeout: timeAfter(600), pause_reschedule: false },
  { pause_timeout: null, pause_reschedule: true },
])('pauses the task run with its flow run', (details) => {
  const run = under(stateWithDetails('PAUSED', { ...details, pause_key: 'k' }))
  expect(tasksOfStoppedFlows.decide(taskContext('PENDING', 'RUNNING', { run }))).toMatchObject({
    kind: 'reject',
    state: { type: 'PAUSED', name: 'NotReady', state_details: { ...details, pause_key: null } },
    reason: 'The flow run flow-run is Paused; its tasks run once it resumes.',
  })
})

test.each([
  ['a task run of a running flow run', under(aState('RUNNING'))],
  ['a task run without a flow run', {}],
])('accepts %s', (_name, run) => {
  expect(tasksOfStoppedFlows.decide(taskContext('PENDING', 'RUNNING', { run }))).toBe(accept)
})
