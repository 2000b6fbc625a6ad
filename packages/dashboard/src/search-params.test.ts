import { expect, test } from 'vitest'
import { onlyValid, parseSearch, readPage, readString, readStrings, stringifySearch } from './search-params.ts'

test.each([
  ['?state=Failed&state=Crashed&name=a%20b', { state: ['Failed', 'Crashed'], name: 'a b' }],
  ['', {}],
  ['?tag=a%2Cb', { tag: 'a,b' }],
])('parses %s and writes it back unchanged', (text, params) => {
  expect(parseSearch(text)).toEqual(params)
  expect(parseSearch(stringifySearch(params))).toEqual(params)
})

test('omits empty values', () => {
  expect(stringifySearch({ a: undefined, b: null, c: '', d: [], e: ['x', ''] })).toBe('?e=x')
})

test('reads strings, lists and page numbers from any input', () => {
  expect(readStrings('a')).toEqual(['a'])
  expect(readStrings(['a', '', 3])).toEqual(['a'])
  expect(readStrings(undefined)).toBeUndefined()
  expect(readString(['a', 'b'])).toBe('a')
  expect([readPage('3'), readPage('1'), readPage('-2'), readPage('x'), readPage(undefined)]).toEqual([3, undefined, undefined, undefined, undefined])
})

test('keeps a parameter named __proto__ as data', () => {
  expect(Object.getPrototypeOf(parseSearch('?__proto__=a&__proto__=b'))).toBe(Object.prototype)
})

test('names each invalid parameter, so that the router does not take it from the URL', () => {
  const read = onlyValid((params) => (params.tab === 'runs' ? { tab: 'runs' } : {}))
  const fromUrl = { tab: 'constructor', other: 'x' }
  expect({ ...fromUrl, ...read(fromUrl) }).toEqual({ tab: undefined, other: undefined })
  expect(read({ tab: 'runs' })).toEqual({ tab: 'runs' })
})
