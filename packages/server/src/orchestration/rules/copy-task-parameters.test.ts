import { expect, test } from 'vitest'
import { detailed, taskContext } from '../fixtures.ts'
import { accept } from '../verdict.ts'
import { copyTaskParameters } from './copy-task-parameters.ts'

const stored = { task_parameters_id: 'parameters' }

test.each([
  ['SCHEDULED', 'PENDING'],
  ['SCHEDULED', 'RUNNING'],
  ['PENDING', 'RUNNING'],
] as const)('the parameters go along from %s to %s', (from, to) => {
  expect(copyTaskParameters.decide(taskContext(detailed(from, stored), to))).toMatchObject({
    kind: 'accept',
    state: { type: to, state_details: stored },
  })
})

test.each([
  ['others that were sent stay', detailed('SCHEDULED', stored), detailed('PENDING', { task_parameters_id: 'others' })],
  ['there are none', detailed('SCHEDULED', {}), detailed('PENDING', {})],
])('%s', (_name, from, to) => {
  expect(copyTaskParameters.decide(taskContext(from, to))).toBe(accept)
})
