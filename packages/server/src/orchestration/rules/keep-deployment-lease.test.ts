import { expect, test } from 'vitest'
import { detailed, flowContext } from '../fixtures.ts'
import { accept } from '../verdict.ts'
import { keepDeploymentLease } from './keep-deployment-lease.ts'

const lease = (id: string | null) => ({ deployment_concurrency_lease_id: id })

test.each(['RUNNING', 'COMPLETED', 'SCHEDULED', 'PENDING'] as const)('the lease goes along to %s', (to) => {
  expect(keepDeploymentLease.decide(flowContext(detailed('PENDING', lease('a')), detailed(to, lease(null))))).toMatchObject({
    kind: 'accept',
    state: { type: to, state_details: lease('a') },
  })
})

test.each([
  ['one that was sent stays', detailed('PENDING', lease('a')), detailed('RUNNING', lease('b'))],
  ['none stays none', detailed('PENDING', lease(null)), detailed('RUNNING', lease(null))],
])('%s', (_name, from, to) => {
  expect(keepDeploymentLease.decide(flowContext(from, to))).toBe(accept)
})
