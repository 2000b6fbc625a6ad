import { expect, test } from 'vitest'
import { toLimitBody, toLimitDraft, validateLimitDraft } from './limit-draft.ts'

test('converts between form values and API fields', () => {
  const draft = { name: ' db ', limit: '5', decay: '0.5', active: true }
  expect(validateLimitDraft(draft)).toEqual({})
  expect(toLimitBody(draft)).toEqual({ name: 'db', limit: 5, slot_decay_per_second: 0.5, active: true })
  expect(toLimitBody({ ...draft, decay: '' }).slot_decay_per_second).toBe(0)
})

test('reports errors by field', () => {
  expect(validateLimitDraft({ ...toLimitDraft(undefined), decay: 'x' })).toEqual({
    name: 'Enter a name',
    limit: 'Enter a whole number, 0 or greater',
    decay: 'Enter a number, 0 or greater',
  })
})
