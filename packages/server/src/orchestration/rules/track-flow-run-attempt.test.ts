import { expect, test } from 'vitest'
import { aState, taskContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { trackFlowRunAttempt } from './track-flow-run-attempt.ts'

const flowRun = { state: aState('RUNNING'), run_count: 2 }

test('a task notes the attempt it runs in', () => {
  expect(trackFlowRunAttempt.decide(taskContext('PENDING', 'RUNNING', { run: { flow_run_id: 'flow-run', flowRun } }))).toMatchObject({
    kind: 'accept',
    changes: { flow_run_run_count: 2 },
  })
})

test.each([
  ['it is noted already', { flow_run_id: 'flow-run', flowRun, flow_run_run_count: 2 }],
  ['it belongs to no flow run', {}],
])('nothing to note when %s', (_name, run) => {
  expect(trackFlowRunAttempt.decide(taskContext('PENDING', 'RUNNING', { run }))).toBe(accept)
})
