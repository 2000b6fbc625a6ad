import { expect, test } from 'vitest'
import { aState, flowContext, stateWithDetails, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { preventPending } from './prevent-pending.ts'

const submitting = aState('PENDING', { name: 'Submitting' })

test.each([
  ['a second worker', 'PENDING', 'PENDING', 'Pending'],
  ['a second worker after the first went on', submitting, 'PENDING', 'Submitting'],
  ['the same name again', submitting, submitting, 'Submitting'],
  ['a run that runs', 'RUNNING', submitting, 'Running'],
  ['a run that is being cancelled', 'CANCELLING', 'PENDING', 'Cancelling'],
  ['a cancelled run', 'CANCELLED', 'PENDING', 'Cancelled'],
] as const)('%s: no', (_name, from, to, name) => {
  expect(preventPending.decide(flowContext(from, to))).toMatchObject({
    kind: 'abort',
    reason: `This run is already ${name}, so it cannot be submitted again.`,
    facts: { state_name: name },
  })
})

test('a pending run goes on under another name and keeps its time and lease, whatever was sent', () => {
  const from = stateWithDetails('PENDING', { scheduled_time: timeAfter(-5), deployment_concurrency_lease_id: 'lease' })
  const to = stateWithDetails('PENDING', { scheduled_time: timeAfter(60), deployment_concurrency_lease_id: 'other' }, 'InfrastructurePending')
  expect(preventPending.decide(flowContext(from, to))).toMatchObject({
    kind: 'accept',
    state: { name: 'InfrastructurePending', state_details: { scheduled_time: timeAfter(-5), deployment_concurrency_lease_id: 'lease' } },
  })
})
