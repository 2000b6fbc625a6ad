import { stateTypes as apiTypes, terminalTypes } from '@millrace/contracts/state.ts'
import { expect, test } from 'vitest'
import { endedTypes, isEnded, parseState, settableTypes, stateChoices, stateCriteria, stateOf, stateTypeName, stateTypes } from './states.ts'

test('knows every state type of the API', () => {
  expect(stateTypes.toSorted()).toEqual(apiTypes.toSorted())
  expect(apiTypes.map((type) => parseState(type.toLowerCase()))).toEqual(apiTypes.map((type) => ({ type, name: undefined })))
})

test('separates types from names', () => {
  expect(stateCriteria(['running', 'late', 'MyOwn'].map(parseState))).toEqual({
    operator: 'or_',
    type: { any_: ['RUNNING'] },
    name: { any_: ['Late', 'MyOwn'] },
  })
  expect(stateCriteria(['Late'].map(parseState))).toEqual({ operator: 'or_', name: { any_: ['Late'] } })
})

test('reads a text in any case or exactly', () => {
  expect(parseState('LATE')).toEqual({ type: 'SCHEDULED', name: 'Late' })
  expect(stateOf('Late')).toEqual({ type: 'SCHEDULED', name: 'Late' })
  expect(stateOf('running')).toEqual({ type: undefined, name: 'running' })
  expect(stateOf('constructor')).toEqual({ type: undefined, name: 'constructor' })
})

test('tells ended states', () => {
  expect(endedTypes).toEqual(terminalTypes)
  expect(apiTypes.filter(isEnded)).toEqual(endedTypes)
  expect(isEnded(null)).toBe(false)
})

test('offers every type and Late', () => {
  expect(stateChoices.toSorted()).toEqual([...apiTypes.map(stateTypeName), 'Late'].toSorted())
  expect(settableTypes.toSorted()).toEqual(apiTypes.filter((type) => type !== 'CANCELLING').toSorted())
})
