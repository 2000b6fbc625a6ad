import { expect, test } from 'vitest'
import { stateWithDetails, taskContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { copyTaskParameters } from './copy-task-parameters.ts'

const stored = { task_parameters_id: 'parameters' }

test.each([
  ['SCHEDULED', 'PENDING'],
  ['SCHEDULED', 'RUNNING'],
  ['PENDING', 'RUNNING'],
] as const)('the parameters go along from %s to %s', (from, to) => {
  expect(copyTaskParameters.decide(taskContext(stateWithDetails(from, stored), to))).toMatchObject({
    kind: 'accept',
    state: { type: to, state_details: stored },
  })
})

test.each([
  ['others that were sent stay', stateWithDetails('SCHEDULED', stored), stateWithDetails('PENDING', { task_parameters_id: 'others' })],
  ['there are none', stateWithDetails('SCHEDULED', {}), stateWithDetails('PENDING', {})],
])('%s', (_name, from, to) => {
  expect(copyTaskParameters.decide(taskContext(from, to))).toBe(accept)
})
