import { expect, test } from 'vitest'
import { stateWithDetails, taskContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { copyTaskParameters } from './copy-task-parameters.ts'

const stored = { task_parameters_id: 'parameters' }

test.each([
  ['SCHEDULED', 'PENDING'],
  ['SCHEDULED', 'RUNNING'],
  ['PENDING', 'RUNNING'],
] as const)('copies the parameters id from %s to %s', (from, to) => {
  expect(copyTaskParameters.decide(taskContext(stateWithDetails(from, stored), to))).toMatchObject({
    kind: 'accept',
    state: { type: to, state_details: stored },
  })
})

test.each([
  [
    'keeps the parameters id of the proposed state',
    stateWithDetails('SCHEDULED', stored),
    stateWithDetails('PENDING', { task_parameters_id: 'others' }),
  ],
  ['accepts states without a parameters id', stateWithDetails('SCHEDULED', {}), stateWithDetails('PENDING', {})],
])('%s', (_name, from, to) => {
  expect(copyTaskParameters.decide(taskContext(from, to))).toBe(accept)
})
