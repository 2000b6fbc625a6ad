import { stateTypes } from '@millrace/contracts/state.ts'
import { expect, test } from 'vitest'
import { InMemorySlots, taskContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { releaseTaskSlots } from './release-task-slots.ts'

const run = { tags: ['db'] }
const held = () => new InMemorySlots({ 'tag:db': 2, 'tag:mine': 1 }).withHolders('tag:db', 'task-run', 'other').withHolders('tag:mine', 'task-run')

test.each(stateTypes.filter((type) => type !== 'RUNNING' && type !== 'CANCELLING'))('releases the slots at %s', (to) => {
  const slots = held()
  releaseTaskSlots.finalize?.(taskContext('RUNNING', to, { run, slots }), 'ACCEPT')
  expect(slots.holdersOf('tag:db')).toEqual(['other'])
  expect(slots.holdersOf('tag:mine')).toEqual(['task-run'])
})

test.each(['RUNNING', 'CANCELLING'] as const)('keeps the slots at %s', (to) => {
  const slots = held()
  releaseTaskSlots.finalize?.(taskContext('RUNNING', to, { run, slots }), 'ACCEPT')
  expect(slots.holdersOf('tag:db')).toEqual(['task-run', 'other'])
})

test('does not touch slots of a task run without tags', () => {
  const slots = held()
  slots.release = () => expect.unreachable()
  expect(releaseTaskSlots.finalize?.(taskContext('RUNNING', 'COMPLETED', { slots }), 'ACCEPT')).toBeUndefined()
})

test('accepts every state and always finalizes', () => {
  expect(releaseTaskSlots.alwaysFinalize).toBe(true)
  expect(releaseTaskSlots.decide(taskContext('RUNNING', 'COMPLETED'))).toBe(accept)
})
