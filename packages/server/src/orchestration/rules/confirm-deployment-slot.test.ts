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
  ['the run still holds its slot', new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'flow-run')],
  ['the slot expired and another is free', new InMemorySlots({ [limit]: 2 }).withHolders(limit, 'other-run')],
  ['the limit was removed', new InMemorySlots()],
])('accepts if %s', (_name, slots) => {
  expect(decide(flowContext(from, to, { run, slots }))).toBe(accept)
})

test('accepts a run that never had a slot', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  expect(decide(flowContext('PENDING', 'RUNNING', { run, slots }))).toBe(accept)
})

test.each([
  ['another lease id', from, 'forged', 'lease-1'],
  ['an unknown lease id', 'PENDING' as const, 'forged', null],
])('keeps the lease of the current state instead of %s', (_name, current, sent, kept) => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'flow-run')
  const verdict = decide(flowContext(current, stateWithDetails('RUNNING', leased(sent)), { run, slots }))
  expect(verdict).toMatchObject({ kind: 'accept', state: { type: 'RUNNING', state_details: leased(kept) } })
})

test('cancels the run if its slot expired and none is free', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  expect(decide(flowContext(from, to, { run, slots, leaseMode: 'renews' }))).toMatchObject({
    kind: 'reject',
    state: { type: 'CANCELLED', message: expect.stringContaining('held by other-run') },
    facts: { limit, holders: ['other-run'], lease_id: 'lease-1' },
  })
})

test('renews the lease', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'flow-run')
  expect(settle?.(flowContext(from, to, { run, slots, leaseMode: 'renews' }), 'ACCEPT')).toMatchObject({ state_details: leased('lease-1') })
  expect(slots.leases).toEqual([{ id: 'lease-1', holder: 'flow-run', names: [limit], seconds: 300 }])
})

test('grants a lease without expiry to a client that does not renew', () => {
  const slots = new InMemorySlots({ [limit]: 1 })
  slots.acquire([limit], 'flow-run', 300)
  expect(settle?.(flowContext(from, to, { run, slots }), 'ACCEPT')).toMatchObject({ state_details: leased('lease-1') })
  expect(slots.leases).toEqual([{ id: 'lease-1', holder: 'flow-run', names: [limit], seconds: null }])
})

test('does not cancel a client that does not renew if no slot is free', () => {
  const slots = new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')
  expect(decide(flowContext(from, to, { run, slots }))).toBe(accept)
  expect(settle?.(flowContext(from, to, { run, slots }), 'ACCEPT')).toBeUndefined()
  expect(slots.holdersOf(limit)).toEqual(['other-run'])
})

test('acquires a free slot if the lease expired', () => {
  const slots = new InMemorySlots({ [limit]: 2 }).withHolders(limit, 'other-run')
  expect(settle?.(flowContext(from, to, { run, slots }), 'ACCEPT')).toMatchObject({ state_details: leased('lease-2') })
  expect(slots.holdersOf(limit)).toEqual(['other-run', 'flow-run'])
})

test('acquires nothing for a run without a lease', () => {
  const slots = new InMemorySlots({ [limit]: 1 })
  expect(settle?.(flowContext('PENDING', 'RUNNING', { run, slots }), 'ACCEPT')).toBeUndefined()
  expect(slots.leases).toEqual([])
})
