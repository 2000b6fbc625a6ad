import { expect, test } from 'vitest'
import { aLimit, aState, flowContext, InMemorySlots, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { secureDeploymentSlot } from './secure-deployment-slot.ts'

const { decide, finalize: settle } = secureDeploymentSlot
const limit = 'deployment:d'
const deployed = { deployment_id: 'd', deploymentLimit: aLimit() }

test.each([
  ['a run of no deployment', {}, new InMemorySlots()],
  ['a deployment without a limit', { deployment_id: 'd' }, new InMemorySlots()],
  ['a limit that was removed meanwhile', deployed, new InMemorySlots()],
  ['a free slot', deployed, new InMemorySlots({ [limit]: 1 })],
  ['a slot the run has already', deployed, new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'flow-run')],
])('%s: goes on', (_name, run, slots) => {
  expect(decide(flowContext('SCHEDULED', 'PENDING', { run, slots }))).toBe(accept)
})

test('a worker that brings the slot is given none, and asked for none', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  const context = flowContext('SCHEDULED', 'PENDING', { run: { ...deployed, deploymentExists: false }, slots, leaseMode: 'brings' })
  expect(decide(context)).toBe(accept)
  expect(settle?.(context, 'ACCEPT')).toBeUndefined()
  expect(slots.holdersOf(limit)).toEqual(['other-run'])
})

test('deciding takes nothing', () => {
  const slots = new InMemorySlots({ [limit]: 1 })
  decide(flowContext('SCHEDULED', 'PENDING', { run: deployed, slots }))
  expect(slots.leases).toEqual([])
})

test.each([
  ['the deployment is gone', { ...deployed, deploymentExists: false }, new InMemorySlots({ [limit]: 1 }), { deployment_id: 'd' }],
  ['the limit is 0', deployed, new InMemorySlots({ [limit]: 0 }), { limit, slots: 0 }],
])('%s: no', (_name, run, slots, facts) => {
  expect(decide(flowContext('SCHEDULED', 'PENDING', { run, slots }))).toMatchObject({ kind: 'abort', facts })
})

test('a full limit puts the run off and says who has the slots', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  expect(decide(flowContext('SCHEDULED', 'PENDING', { run: deployed, slots }))).toMatchObject({
    kind: 'reject',
    state: { type: 'SCHEDULED', name: 'AwaitingConcurrencySlot', message: null, state_details: { scheduled_time: timeAfter(30) } },
    reason: 'The concurrency limit deployment:d allows 1 at a time and is full (held by other-run); this run is tried again in 30 seconds.',
    facts: { limit, slots: 1, holders: ['other-run'] },
  })
})

test('or cancels it, as the deployment has it', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  const run = { ...deployed, deploymentLimit: aLimit({ collision_strategy: 'CANCEL_NEW' }) }
  expect(decide(flowContext('SCHEDULED', 'PENDING', { run, slots }))).toMatchObject({
    kind: 'reject',
    state: { type: 'CANCELLED', message: 'The concurrency limit deployment:d allows 1 at a time and is full (held by other-run).' },
  })
})

test('how long it is put off is a setting', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  const settings = { deployment_slot_wait_seconds: 5 }
  expect(decide(flowContext('SCHEDULED', 'PENDING', { run: deployed, slots, settings }))).toMatchObject({
    state: { state_details: { scheduled_time: timeAfter(5) } },
  })
})

test('a limit that is switched off gives no slot', () => {
  const slots = new InMemorySlots({ [limit]: 5 }, [limit])
  expect(decide(flowContext('SCHEDULED', 'PENDING', { run: deployed, slots }))).toMatchObject({
    kind: 'reject',
    state: { name: 'AwaitingConcurrencySlot' },
    reason: 'The concurrency limit deployment:d is switched off; this run is tried again in 30 seconds.',
  })
})

test.each([
  ['the setting', null, 300],
  ['the deployment', 90, 90],
])('settling takes the slot for as long as %s says', (_name, grace_period_seconds, seconds) => {
  const slots = new InMemorySlots({ [limit]: 1 })
  const run = { deployment_id: 'd', deploymentLimit: aLimit({ grace_period_seconds }) }
  const state = settle?.(flowContext('SCHEDULED', 'PENDING', { run, slots }), 'ACCEPT')
  expect(state?.state_details.deployment_concurrency_lease_id).toBe('lease-1')
  expect(slots.leases).toEqual([{ id: 'lease-1', holder: 'flow-run', names: [limit], seconds }])
})

test('settling renews a slot the run has already', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'flow-run')
  const from = aState('SCHEDULED', { name: 'AwaitingRetry' })
  const state = settle?.(flowContext(from, 'PENDING', { run: deployed, slots }), 'ACCEPT')
  expect(state?.state_details.deployment_concurrency_lease_id).toBe('lease-1')
  expect(slots.leases).toMatchObject([{ holder: 'flow-run', seconds: 300 }])
})

test.each([
  ['no deployment', {}],
  ['no limit', { deployment_id: 'd' }],
  ['a limit that is gone', deployed],
])('with %s there is nothing to settle', (_name, run) => {
  expect(settle?.(flowContext('SCHEDULED', 'PENDING', { run }), 'ACCEPT')).toBeUndefined()
})
