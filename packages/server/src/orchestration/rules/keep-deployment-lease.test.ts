import { expect, test } from 'vitest'
import { flowContext, stateWithDetails } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { keepDeploymentLease } from './keep-deployment-lease.ts'

const lease = (id: string | null) => ({ deployment_concurrency_lease_id: id })

test.each(['RUNNING', 'COMPLETED', 'SCHEDULED', 'PENDING'] as const)('the lease goes along to %s', (to) => {
  expect(keepDeploymentLease.decide(flowContext(stateWithDetails('PENDING', lease('a')), stateWithDetails(to, lease(null))))).toMatchObject({
    kind: 'accept',
    state: { type: to, state_details: lease('a') },
  })
})

test.each([
  ['one that was sent stays', stateWithDetails('PENDING', lease('a')), stateWithDetails('RUNNING', lease('b'))],
  ['none stays none', stateWithDetails('PENDING', lease(null)), stateWithDetails('RUNNING', lease(null))],
])('%s', (_name, from, to) => {
  expect(keepDeploymentLease.decide(flowContext(from, to))).toBe(accept)
})
