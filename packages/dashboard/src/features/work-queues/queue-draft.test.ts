import { expect, test } from 'vitest'
import { toQueueBody, toQueueDraft, validateQueueDraft } from './queue-draft.ts'

test('converts between form values and API fields', () => {
  const draft = { ...toQueueDraft(undefined), name: ' fast ', limit: '3' }
  expect(validateQueueDraft(draft)).toEqual({})
  expect(toQueueBody(draft)).toEqual({ name: 'fast', description: '', concurrency_limit: 3 })
  expect(toQueueBody({ ...draft, limit: '', priority: '2' })).toEqual({ name: 'fast', description: '', concurrency_limit: null, priority: 2 })
})

test('reports errors by field', () => {
  expect(validateQueueDraft({ name: '', description: '', limit: '-1', priority: '0' })).toEqual({
    name: 'Enter a name',
    limit: 'Enter a whole number, 0 or greater, or leave empty',
    priority: 'Enter a whole number, 1 or greater',
  })
  expect(validateQueueDraft({ ...toQueueDraft(undefined), name: 'a/b' }).name).toBe('Must not contain / % & > <')
})
