import { expect, test } from 'vitest'
import { aState, stateWithDetails, taskContext, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { tasksOfStoppedFlows } from './tasks-of-stopped-flows.ts'

const under = (state: ReturnType<typeof aState> | null) => ({ flow_run_id: 'flow-run', flowRun: { state, run_count: 1 } })

test.each(['SCHEDULED', 'PENDING', 'COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED', 'CANCELLING'] as const)('the flow run is %s: no', (type) => {
  expect(tasksOfStoppedFlows.decide(taskContext('PENDING', 'RUNNING', { run: under(aState(type)) }))).toMatchObject({
    kind: 'abort',
    facts: { flow_run_id: 'flow-run', flow_run_state_type: type },
  })
})

test('the flow run has no state: no', () => {
  expect(tasksOfStoppedFlows.decide(taskContext('PENDING', 'RUNNING', { run: under(null) }))).toMatchObject({ kind: 'abort' })
})

test.each([
  { pause_timeout: timeAfter(600), pause_reschedule: false },
  { pause_timeout: null, pause_reschedule: true },
])('the flow run is paused: so is the task, as long', (details) => {
  const run = under(stateWithDetails('PAUSED', { ...details, pause_key: 'k' }))
  expect(tasksOfStoppedFlows.decide(taskContext('PENDING', 'RUNNING', { run }))).toMatchObject({
    kind: 'reject',
    state: { type: 'PAUSED', name: 'NotReady', state_details: { ...details, pause_key: null } },
    reason: 'The flow run flow-run is Paused; its tasks run once it resumes.',
  })
})

test.each([
  ['the flow run runs', under(aState('RUNNING'))],
  ['it belongs to none', {}],
])('%s: goes on', (_name, run) => {
  expect(tasksOfStoppedFlows.decide(taskContext('PENDING', 'RUNNING', { run }))).toBe(accept)
})
