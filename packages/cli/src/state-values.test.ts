import { stateTypes } from '@millrace/contracts/state.ts'
import { expect, test } from 'vitest'
import { isEnded, parseState, stateCriteria, stateToSet } from './state-values.ts'

test('knows every state type of the API', () => {
  expect(stateTypes.map((type) => parseState(type.toLowerCase()))).toEqual(stateTypes.map((type) => ({ type, name: undefined })))
})

test('separates types from names', () => {
  expect(stateCriteria(['running', 'late', 'MyOwn'])).toEqual({ operator: 'or_', type: { any_: ['RUNNING'] }, name: { any_: ['Late', 'MyOwn'] } })
  expect(stateCriteria(['Late'])).toEqual({ operator: 'or_', name: { any_: ['Late'] } })
})

test('finds the type of a name to set', () => {
  expect(stateToSet('late', undefined)).toEqual({ type: 'SCHEDULED', name: 'Late' })
  expect(stateToSet('FAILED', undefined)).toEqual({ type: 'FAILED', name: 'Failed' })
  expect(stateToSet('failed', 'Mine')).toEqual({ type: 'FAILED', name: 'Mine' })
  expect(() => stateToSet('MyOwn', undefined)).toThrow('Unknown state "MyOwn"')
})

test('tells ended states', () => {
  expect(stateTypes.filter(isEnded)).toEqual(['COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED'])
  expect(isEnded(null)).toBe(false)
})
