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
  ['slots it has already', tagged, new InMemorySlots({ 'tag:db': 1 }).withHolders('tag:db', 'task-run')],
  ['limits that are switched off', tagged, new InMemorySlots({ 'tag:db': 0, 'tag:gpu': 1 }, ['tag:db', 'tag:gpu']).withHolders('tag:gpu', 'other')],
])('%s: goes on', (_name, run, slots) => {
  expect(decide(taskContext('PENDING', 'RUNNING', { run, slots }))).toBe(accept)
})

test('a full limit: wait, and it says for whom', () => {
  const slots = new InMemorySlots({ 'tag:db': 1, 'tag:gpu': 4 }).withHolders('tag:gpu', 'a', 'b', 'c', 'd')
  expect(decide(taskContext('PENDING', 'RUNNING', { run: tagged, slots }))).toMatchObject({
    kind: 'wait',
    delay_seconds: 30,
    reason: 'The concurrency limit tag:gpu allows 4 at a time and is full (held by a, b, c and 1 more); ask again in 30 seconds.',
    facts: { limit: 'tag:gpu', slots: 4, holders: ['a', 'b', 'c', 'd'] },
  })
})

test('how long is a setting', () => {
  const slots = new InMemorySlots({ 'tag:db': 1 }).withHolders('tag:db', 'a')
  const settings = { tag_slot_wait_seconds: 7 }
  expect(decide(taskContext('PENDING', 'RUNNING', { run: tagged, slots, settings }))).toMatchObject({ delay_seconds: 7 })
})

test('a limit of 0: no, even when another is full', () => {
  const slots = new InMemorySlots({ 'tag:db': 1, 'tag:gpu': 0 }).withHolders('tag:db', 'other')
  expect(decide(taskContext('PENDING', 'RUNNING', { run: tagged, slots }))).toMatchObject({ kind: 'abort', facts: { limit: 'tag:gpu', slots: 0 } })
})

test('settling takes one slot of each limit, until it is given back', () => {
  const slots = new InMemorySlots({ 'tag:db': 1, 'tag:gpu': 1 })
  settle?.(taskContext('PENDING', 'RUNNING', { run: { tags: ['db', 'gpu', 'db', 'free'] }, slots }), 'ACCEPT')
  expect(slots.leases).toEqual([{ id: 'lease-1', holder: 'task-run', names: ['tag:db', 'tag:gpu'], seconds: null }])
})

test('but none twice', () => {
  const slots = new InMemorySlots({ 'tag:db': 1, 'tag:gpu': 1 }).withHolders('tag:db', 'task-run')
  settle?.(taskContext('RUNNING', 'RUNNING', { run: tagged, slots }), 'ACCEPT')
  expect(slots.leases.map((lease) => lease.names)).toEqual([['tag:db'], ['tag:gpu']])
})

test.each([{ tags: [] }, { tags: ['free'] }])('and none where there is no limit', (run) => {
  const slots = new InMemorySlots({ 'tag:db': 1 })
  expect(settle?.(taskContext('PENDING', 'RUNNING', { run, slots }), 'ACCEPT')).toBeUndefined()
  expect(slots.leases).toEqual([])
})
