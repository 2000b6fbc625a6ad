import { expect, test } from 'vitest'
import { aLimit, aState, flowContext, InMemorySlots, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { secureDeploymentSlot } from './secure-deployment-slot.ts'

const { decide, finalize: settle } = secureDeploymentSlot
const limit = 'deployment:d'
const deployed = { deployment_id: 'd', deploymentLimit: aLimit() }

test.each([
  ['a run without a deployment', {}, new InMemorySlots()],
  ['a deployment without a limit', { deployment_id: 'd' }, new InMemorySlots()],
  ['a limit that was removed', deployed, new InMemorySlots()],
  ['a free slot', deployed, new InMemorySlots({ [limit]: 1 })],
  ['a slot that the run already holds', deployed, new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'flow-run')],
])('accepts %s', (_name, run, slots) => {
  expect(decide(flowContext('SCHEDULED', 'PENDING', { run, slots }))).toBe(accept)
})

test('acquires no slot for a client that brings its own', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  const context = flowContext('SCHEDULED', 'PENDING', { run: { ...deployed, deploymentExists: false }, slots, leaseMode: 'brings' })
  expect(decide(context)).toBe(accept)
  expect(settle?.(context, 'ACCEPT')).toBeUndefined()
  expect(slots.holdersOf(limit)).toEqual(['other-run'])
})

test('acquires nothing while deciding', () => {
  const slots = new InMemorySlots({ [limit]: 1 })
  decide(flowContext('SCHEDULED', 'PENDING', { run: deployed, slots }))
  expect(slots.leases).toEqual([])
})

test.each([
  ['the deployment is gone', { ...deployed, deploymentExists: false }, new InMemorySlots({ [limit]: 1 }), { deployment_id: 'd' }],
  ['the limit is 0', deployed, new InMemorySlots({ [limit]: 0 }), { limit, slots: 0 }],
])('aborts if %s', (_name, run, slots, facts) => {
  expect(decide(flowContext('SCHEDULED', 'PENDING', { run, slots }))).toMatchObject({ kind: 'abort', facts })
})

test('delays the run if the limit is full and lists the holders', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  expect(decide(flowContext('SCHEDULED', 'PENDING', { run: deployed, slots }))).toMatchObject({
    kind: 'reject',
    state: { type: 'SCHEDULED', name: 'AwaitingConcurrencySlot', message: null, state_details: { scheduled_time: timeAfter(30) } },
    reason: 'Concurrency limit deployment:d has no free slot (1 in total, held by other-run); the run is scheduled again in 30 seconds.',
    facts: { limit, slots: 1, holders: ['other-run'] },
  })
})

test('cancels the run with CANCEL_NEW if the limit is full', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  const run = { ...deployed, deploymentLimit: aLimit({ collision_strategy: 'CANCEL_NEW' }) }
  expect(decide(flowContext('SCHEDULED', 'PENDING', { run, slots }))).toMatchObject({
    kind: 'reject',
    state: { type: 'CANCELLED', message: 'Concurrency limit deployment:d has no free slot (1 in total, held by other-run).' },
  })
})

test('takes the delay from the settings', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  const settings = { deployment_slot_wait_seconds: 5 }
  expect(decide(flowContext('SCHEDULED', 'PENDING', { run: deployed, slots, settings }))).toMatchObject({
    state: { state_details: { scheduled_time: timeAfter(5) } },
  })
})

test('delays the run if the limit is not active', () => {
  const slots = new InMemorySlots({ [limit]: 5 }, [limit])
  expect(decide(flowContext('SCHEDULED', 'PENDING', { run: deployed, slots }))).toMatchObject({
    kind: 'reject',
    state: { name: 'AwaitingConcurrencySlot' },
    reason: 'Concurrency limit deployment:d is not active; the run is scheduled again in 30 seconds.',
  })
})

test.each([
  ['the setting', null, 300],
  ['the deployment', 90, 90],
])('acquires the slot for the duration of %s', (_name, grace_period_seconds, seconds) => {
  const slots = new InMemorySlots({ [limit]: 1 })
  const run = { deployment_id: 'd', deploymentLimit: aLimit({ grace_period_seconds }) }
  const state = settle?.(flowContext('SCHEDULED', 'PENDING', { run, slots }), 'ACCEPT')
  expect(state?.state_details.deployment_concurrency_lease_id).toBe('lease-1')
  expect(slots.leases).toEqual([{ id: 'lease-1', holder: 'flow-run', names: [limit], seconds }])
})

test('renews a slot that the run already holds', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'flow-run')
  const from = aState('SCHEDULED', { name: 'AwaitingRetry' })
  const state = settle?.(flowContext(from, 'PENDING', { run: deployed, slots }), 'ACCEPT')
  expect(state?.state_details.deployment_concurrency_lease_id).toBe('lease-1')
  expect(slots.leases).toMatchObject([{ holder: 'flow-run', seconds: 300 }])
})

test.each([
  ['no deployment', {}],
  ['no limit', { deployment_id: 'd' }],
  ['a limit that was removed', deployed],
])('acquires nothing with %s', (_name, run) => {
  expect(settle?.(flowContext('SCHEDULED', 'PENDING', { run }), 'ACCEPT')).toBeUndefined()
})
