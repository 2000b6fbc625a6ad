import { expect, test } from 'vitest'
import { aState, flowContext, stateWithDetails, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { preventPending } from './prevent-pending.ts'

const submitting = aState('PENDING', { name: 'Submitting' })

test.each([
  ['a second worker', 'PENDING', 'PENDING', 'Pending'],
  ['a second worker after the first one is submitting', submitting, 'PENDING', 'Submitting'],
  ['the same name twice', submitting, submitting, 'Submitting'],
  ['a running run', 'RUNNING', submitting, 'Running'],
  ['a cancelling run', 'CANCELLING', 'PENDING', 'Cancelling'],
  ['a cancelled run', 'CANCELLED', 'PENDING', 'Cancelled'],
] as const)('aborts for %s', (_name, from, to, name) => {
  expect(preventPending.decide(flowContext(from, to))).toMatchObject({
    kind: 'abort',
    reason: `This run is already ${name}, so it cannot be submitted again.`,
    facts: { state_name: name },
  })
})

test('accepts another Pending name and keeps the scheduled time and lease', () => {
  const from = stateWithDetails('PENDING', { scheduled_time: timeAfter(-5), deployment_concurrency_lease_id: 'lease' })
  const to = stateWithDetails('PENDING', { scheduled_time: timeAfter(60), deployment_concurrency_lease_id: 'other' }, 'InfrastructurePending')
  expect(preventPending.decide(flowContext(from, to))).toMatchObject({
    kind: 'accept',
    state: { name: 'InfrastructurePending', state_details: { scheduled_time: timeAfter(-5), deployment_concurrency_lease_id: 'lease' } },
  })
})
