import { expect, test } from 'vitest'
import { InMemorySlots, taskContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { secureTaskSlots } from './secure-task-slots.ts'

const { decide, finalize: settle } = secureTaskSlots
const tagged = { tags: ['db', 'gpu', 'free'] }

test.each([
  ['no tags', { tags: [] }, new InMemorySlots({ 'tag:db': 0 })],
  ['tags without limits', tagged, new InMemorySlots()],
  ['free slots', tagged, new InMemorySlots({ 'tag:db': 1, 'tag:gpu': 2 }).withHolders('tag:gpu', 'other')],
  ['slots that the task run already holds', tagged, new InMemorySlots({ 'tag:db': 1 }).withHolders('tag:db', 'task-run')],
  ['inactive limits', tagged, new InMemorySlots({ 'tag:db': 0, 'tag:gpu': 1 }, ['tag:db', 'tag:gpu']).withHolders('tag:gpu', 'other')],
])('accepts %s', (_name, run, slots) => {
  expect(decide(taskContext('PENDING', 'RUNNING', { run, slots }))).toBe(accept)
})

test('waits if a limit is full and lists the holders', () => {
  const slots = new InMemorySlots({ 'tag:db': 1, 'tag:gpu': 4 }).withHolders('tag:gpu', 'a', 'b', 'c', 'd')
  expect(decide(taskContext('PENDING', 'RUNNING', { run: tagged, slots }))).toMatchObject({
    kind: 'wait',
    delay_seconds: 30,
    reason: 'Concurrency limit tag:gpu has no free slot (4 in total, held by a, b, c and 1 more); try again in 30 seconds.',
    facts: { limit: 'tag:gpu', slots: 4, holders: ['a', 'b', 'c', 'd'] },
  })
})

test('takes the wait time from the settings', () => {
  const slots = new InMemorySlots({ 'tag:db': 1 }).withHolders('tag:db', 'a')
  const settings = { tag_slot_wait_seconds: 7 }
  expect(decide(taskContext('PENDING', 'RUNNING', { run: tagged, slots, settings }))).toMatchObject({ delay_seconds: 7 })
})

test('aborts for a limit with 0 slots even if another is full', () => {
  const slots = new InMemorySlots({ 'tag:db': 1, 'tag:gpu': 0 }).withHolders('tag:db', 'other')
  expect(decide(taskContext('PENDING', 'RUNNING', { run: tagged, slots }))).toMatchObject({ kind: 'abort', facts: { limit: 'tag:gpu', slots: 0 } })
})

test('acquires one slot of each limit without expiry', () => {
  const slots = new InMemorySlots({ 'tag:db': 1, 'tag:gpu': 1 })
  settle?.(taskContext('PENDING', 'RUNNING', { run: { tags: ['db', 'gpu', 'db', 'free'] }, slots }), 'ACCEPT')
  expect(slots.leases).toEqual([{ id: 'lease-1', holder: 'task-run', names: ['tag:db', 'tag:gpu'], seconds: null }])
})

test('acquires no slot twice', () => {
  const slots = new InMemorySlots({ 'tag:db': 1, 'tag:gpu': 1 }).withHolders('tag:db', 'task-run')
  settle?.(taskContext('RUNNING', 'RUNNING', { run: tagged, slots }), 'ACCEPT')
  expect(slots.leases.map((lease) => lease.names)).toEqual([['tag:db'], ['tag:gpu']])
})

test.each([{ tags: [] }, { tags: ['free'] }])('acquires nothing without a limit', (run) => {
  const slots = new InMemorySlots({ 'tag:db': 1 })
  expect(settle?.(taskContext('PENDING', 'RUNNING', { run, slots }), 'ACCEPT')).toBeUndefined()
  expect(slots.leases).toEqual([])
})
