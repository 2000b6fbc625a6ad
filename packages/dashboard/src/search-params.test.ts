import { expect, test } from 'vitest'
import { count, many, one, parseSearch, stringifySearch } from './search-params.ts'

test.each([
  ['?state=Failed&state=Crashed&name=a%20b', { state: ['Failed', 'Crashed'], name: 'a b' }],
  ['', {}],
  ['?tag=a%2Cb', { tag: 'a,b' }],
])('%s is read and written the same', (text, params) => {
  expect(parseSearch(text)).toEqual(params)
  expect(parseSearch(stringifySearch(params))).toEqual(params)
})

test('nothing is written of what is not there', () => {
  expect(stringifySearch({ a: undefined, b: null, c: '', d: [], e: ['x', ''] })).toBe('?e=x')
})

test('one, many and numbers, whatever stands there', () => {
  expect(many('a')).toEqual(['a'])
  expect(many(['a', '', 3])).toEqual(['a'])
  expect(many(undefined)).toBeUndefined()
  expect(one(['a', 'b'])).toBe('a')
  expect([count('3'), count('1'), count('-2'), count('x'), count(undefined)]).toEqual([3, undefined, undefined, undefined, undefined])
})
