import { expect, test } from 'vitest'
import { flowContext, stateWithDetails } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { keepDeploymentLease } from './keep-deployment-lease.ts'

const lease = (id: string | null) => ({ deployment_concurrency_lease_id: id })

test.each(['RUNNING', 'COMPLETED', 'SCHEDULED', 'PENDING'] as const)('copies the lease id to %s', (to) => {
  expect(keepDeploymentLease.decide(flowContext(stateWithDetails('PENDING', lease('a')), stateWithDetails(to, lease(null))))).toMatchObject({
    kind: 'accept',
    state: { type: to, state_details: lease('a') },
  })
})

test.each([
  ['keeps the lease id of the proposed state', stateWithDetails('PENDING', lease('a')), stateWithDetails('RUNNING', lease('b'))],
  ['accepts states without a lease id', stateWithDetails('PENDING', lease(null)), stateWithDetails('RUNNING', lease(null))],
])('%s', (_name, from, to) => {
  expect(keepDeploymentLease.decide(flowContext(from, to))).toBe(accept)
})
