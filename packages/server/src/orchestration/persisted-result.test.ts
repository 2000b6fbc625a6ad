import { expect, test } from 'vitest'
import { aState } from '../../test/orchestration-fixtures.ts'
import { dataToStore, hasPersistedResult, referencesResult } from './states.ts'

test.each([
  ['a reference', '{"type":"reference"}', true, true, true],
  ['an object without a type', ' {"a":1}', true, true, true],
  ['an empty object', '{}', true, false, true],
  ['an unpersisted result', '{ "type" : "unpersisted" }', false, false, false],
  ['the word "unpersisted" in another field', '{"type":"x","why":"unpersisted"}', true, true, true],
  ['a string', '"unpersisted"', false, false, true],
  ['a list', '[{"type":"reference"}]', false, false, true],
  ['a number', '0', false, false, true],
  ['null', null, false, false, true],
] as const)('classifies %s', (_name, data, isReference, isPersisted, isStored) => {
  const state = aState('COMPLETED', { data })
  expect([referencesResult(state), hasPersistedResult(state)]).toEqual([isReference, isPersisted])
  expect(dataToStore(state)).toBe(isStored ? data : null)
})

test('finds a persisted result only in a completed state', () => {
  expect(hasPersistedResult(aState('FAILED', { data: '{"type":"reference"}' }))).toBe(false)
})
