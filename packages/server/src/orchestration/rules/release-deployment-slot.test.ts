import { expect, test } from 'vitest'
import { aLimit, aState, flowContext, InMemorySlots, stateWithDetails } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { releaseDeploymentSlot } from './release-deployment-slot.ts'

const limit = 'deployment:d'
const run = { deployment_id: 'd', deploymentLimit: aLimit() }
const awaitingRetry = stateWithDetails('SCHEDULED', { deployment_concurrency_lease_id: 'lease-1' }, 'AwaitingRetry')
const held = () => new InMemorySlots({ [limit]: 2 }).withHolders(limit, 'flow-run', 'other-run')

test.each([
  ['PENDING', 'CANCELLED', 'ACCEPT'],
  ['RUNNING', 'COMPLETED', 'ACCEPT'],
  ['RUNNING', 'PAUSED', 'ACCEPT'],
  ['RUNNING', 'SCHEDULED', 'ACCEPT'],
  ['CANCELLING', 'CANCELLED', 'ACCEPT'],
  ['PENDING', 'CANCELLED', 'REJECT'],
  ['RUNNING', aState('SCHEDULED', { name: 'AwaitingRetry' }), 'ACCEPT'],
  [awaitingRetry, 'CANCELLED', 'ACCEPT'],
  [awaitingRetry, 'PAUSED', 'ACCEPT'],
] as const)('releases the slot from %o to %o (%s)', (from, to, status) => {
  const slots = held()
  releaseDeploymentSlot.finalize?.(flowContext(from, to, { run, slots }), status)
  expect(slots.holdersOf(limit)).toEqual(['other-run'])
})

test.each([
  ['the run starts', 'PENDING', 'RUNNING', 'ACCEPT'],
  ['the run is cancelling', 'RUNNING', 'CANCELLING', 'ACCEPT'],
  ['the run is submitted', 'PENDING', aState('PENDING', { name: 'Submitting' }), 'ACCEPT'],
  ['the run retries in its process', 'RUNNING', awaitingRetry, 'REJECT'],
  ['its retry is rescheduled', awaitingRetry, 'SCHEDULED', 'ACCEPT'],
] as const)('keeps the slot while %s', (_name, from, to, status) => {
  const slots = held()
  releaseDeploymentSlot.finalize?.(flowContext(from, to, { run, slots }), status)
  expect(slots.holdersOf(limit)).toEqual(['flow-run', 'other-run'])
})

test('releases a slot of a former limit by its lease', () => {
  const slots = new InMemorySlots({ 'deployment:old': 1 }).withHolders('deployment:old', 'flow-run')
  const from = stateWithDetails('RUNNING', { deployment_concurrency_lease_id: 'lease-1' })
  releaseDeploymentSlot.finalize?.(flowContext(from, 'COMPLETED', { run: { deployment_id: 'd' }, slots }), 'ACCEPT')
  expect(slots.leases).toEqual([])
})

test.each([
  ['no deployment', {}],
  ['neither limit nor lease', { deployment_id: 'd' }],
])('does not touch slots with %s', (_name, without) => {
  const slots = held()
  slots.release = () => expect.unreachable()
  expect(releaseDeploymentSlot.finalize?.(flowContext('RUNNING', 'COMPLETED', { run: without, slots }), 'ACCEPT')).toBeUndefined()
})

test('accepts every state and always finalizes', () => {
  expect(releaseDeploymentSlot.alwaysFinalize).toBe(true)
  expect(releaseDeploymentSlot.decide(flowContext('RUNNING', 'COMPLETED'))).toBe(accept)
})
