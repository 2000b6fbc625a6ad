import { expect, test } from 'vitest'
import { aState } from '../../test/orchestration-fixtures.ts'
import { dataToStore, hasPersistedResult, referencesResult } from './persisted-result.ts'

test.each([
  ['a reference', '{"type":"reference"}', true, true, true],
  ['an object of no type', ' {"a":1}', true, true, true],
  ['an empty object', '{}', true, false, true],
  ['a result that is not kept', '{ "type" : "unpersisted" }', false, false, false],
  ['the word elsewhere', '{"type":"x","why":"unpersisted"}', true, true, true],
  ['text', '"unpersisted"', false, false, true],
  ['a list', '[{"type":"reference"}]', false, false, true],
  ['a number', '0', false, false, true],
  ['nothing', null, false, false, true],
] as const)('%s', (_name, data, names, keeps, stores) => {
  const state = aState('COMPLETED', { data })
  expect([referencesResult(state), hasPersistedResult(state)]).toEqual([names, keeps])
  expect(dataToStore(state)).toBe(stores ? data : null)
})

test('only what completed has a result to lose', () => {
  expect(hasPersistedResult(aState('FAILED', { data: '{"type":"reference"}' }))).toBe(false)
})
