import { expect, test } from 'vitest'
import { queueBody, queueDraft, queueFaults } from './queue-draft.ts'

test('a queue as it is typed and as it is sent', () => {
  const draft = { ...queueDraft(undefined), name: ' fast ', limit: '3' }
  expect(queueFaults(draft)).toEqual({})
  expect(queueBody(draft)).toEqual({ name: 'fast', description: '', concurrency_limit: 3 })
  expect(queueBody({ ...draft, limit: '', priority: '2' })).toEqual({ name: 'fast', description: '', concurrency_limit: null, priority: 2 })
})

test('faults stand at their field', () => {
  expect(queueFaults({ name: '', description: '', limit: '-1', priority: '0' })).toEqual({
    name: 'It needs a name',
    limit: 'A whole number from 0, or nothing',
    priority: 'A whole number from 1',
  })
  expect(queueFaults({ ...queueDraft(undefined), name: 'a/b' }).name).toBe('Without / % & > <')
})
