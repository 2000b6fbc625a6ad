import { expect, test } from 'vitest'
import { stateToSet } from './state-values.ts'

test('finds the type of a name to set', () => {
  expect(stateToSet('late', undefined)).toEqual({ type: 'SCHEDULED', name: 'Late' })
  expect(stateToSet('FAILED', undefined)).toEqual({ type: 'FAILED', name: 'Failed' })
  expect(stateToSet('failed', 'Mine')).toEqual({ type: 'FAILED', name: 'Mine' })
  expect(() => stateToSet('MyOwn', undefined)).toThrow('Unknown state "MyOwn"')
})
