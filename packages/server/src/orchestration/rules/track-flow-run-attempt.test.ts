import { expect, test } from 'vitest'
import { aState, taskContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { trackFlowRunAttempt } from './track-flow-run-attempt.ts'

const flowRun = { state: aState('RUNNING'), run_count: 2 }

test('records the flow run attempt of a task run', () => {
  expect(trackFlowRunAttempt.decide(taskContext('PENDING', 'RUNNING', { run: { flow_run_id: 'flow-run', flowRun } }))).toMatchObject({
    kind: 'accept',
    changes: { flow_run_run_count: 2 },
  })
})

test.each([
  ['the attempt is recorded', { flow_run_id: 'flow-run', flowRun, flow_run_run_count: 2 }],
  ['the task run has no flow run', {}],
])('changes nothing if %s', (_name, run) => {
  expect(trackFlowRunAttempt.decide(taskContext('PENDING', 'RUNNING', { run }))).toBe(accept)
})
