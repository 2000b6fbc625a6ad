import { expect, test } from 'vitest'
import { aLimit, flowContext, InMemorySlots, stateWithDetails } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { confirmDeploymentSlot } from './confirm-deployment-slot.ts'

const { decide, finalize: settle } = confirmDeploymentSlot
const limit = 'deployment:d'
const run = { deployment_id: 'd', deploymentLimit: aLimit() }
const leased = (lease: string | null) => ({ deployment_concurrency_lease_id: lease })
const from = stateWithDetails('PENDING', leased('lease-1'))
const to = stateWithDetails('RUNNING', leased('lease-1'))

test.each([
  ['the slot is still there', new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'flow-run')],
  ['it was lost and another is free', new InMemorySlots({ [limit]: 2 }).withHolders(limit, 'other-run')],
  ['the limit was removed', new InMemorySlots()],
])('%s: goes on', (_name, slots) => {
  expect(decide(flowContext(from, to, { run, slots }))).toBe(accept)
})

test('a run that never had a slot needs none', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  expect(decide(flowContext('PENDING', 'RUNNING', { run, slots }))).toBe(accept)
})

test.each([
  ['another', from, 'forged', 'lease-1'],
  ['one out of nowhere', 'PENDING' as const, 'forged', null],
])('the lease is the one it had, not %s', (_name, current, sent, kept) => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'flow-run')
  const verdict = decide(flowContext(current, stateWithDetails('RUNNING', leased(sent)), { run, slots }))
  expect(verdict).toMatchObject({ kind: 'accept', state: { type: 'RUNNING', state_details: leased(kept) } })
})

test('lost and none free: cancelled', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  expect(decide(flowContext(from, to, { run, slots, leaseMode: 'renews' }))).toMatchObject({
    kind: 'reject',
    state: { type: 'CANCELLED', message: expect.stringContaining('held by other-run') },
    facts: { limit, holders: ['other-run'], lease_id: 'lease-1' },
  })
})

test('settling renews the lease', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'flow-run')
  expect(settle?.(flowContext(from, to, { run, slots, leaseMode: 'renews' }), 'ACCEPT')).toMatchObject({ state_details: leased('lease-1') })
  expect(slots.leases).toEqual([{ id: 'lease-1', holder: 'flow-run', names: [limit], seconds: 300 }])
})

test('for a client that renews nothing it lasts until it is given back', () => {
  const slots = new InMemorySlots({ [limit]: 1 })
  slots.acquire([limit], 'flow-run', 300)
  expect(settle?.(flowContext(from, to, { run, slots }), 'ACCEPT')).toMatchObject({ state_details: leased('lease-1') })
  expect(slots.leases).toEqual([{ id: 'lease-1', holder: 'flow-run', names: [limit], seconds: null }])
})

test('and nobody is cancelled for having renewed nothing, when nothing is left to take', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  expect(decide(flowContext(from, to, { run, slots }))).toBe(accept)
  expect(settle?.(flowContext(from, to, { run, slots }), 'ACCEPT')).toBeUndefined()
  expect(slots.holdersOf(limit)).toEqual(['other-run'])
})

test('or takes a new one', () => {
  const slots = new InMemorySlots({ [limit]: 2 }).withHolders(limit, 'other-run')
  expect(settle?.(flowContext(from, to, { run, slots }), 'ACCEPT')).toMatchObject({ state_details: leased('lease-2') })
  expect(slots.holdersOf(limit)).toEqual(['other-run', 'flow-run'])
})

test('and nothing for a run that had none', () => {
  const slots = new InMemorySlots({ [limit]: 1 })
  expect(settle?.(flowContext('PENDING', 'RUNNING', { run, slots }), 'ACCEPT')).toBeUndefined()
  expect(slots.leases).toEqual([])
})
