import { expect, test } from 'vitest'
import { isSame, jsonText, numberText, readJson, readNumber } from './exact-json.ts'
import { isUnfinished } from './field-kind.ts'

test('integers keep all of their digits', () => {
  expect(JSON.stringify({ n: readNumber('9007199254740993', 'integer') })).toBe('{"n":9007199254740993}')
  expect(readNumber('007', 'integer')).toBe(7)
  expect(readNumber('-12', 'integer')).toBe(-12)
  expect(numberText(readNumber('9007199254740993', 'number'))).toBe('9007199254740993')
  expect(isSame(readNumber('9007199254740993', 'integer'), readNumber('9007199254740993', 'integer'))).toBe(true)
})

test('what is no number yet is kept as it was typed', () => {
  for (const text of ['1e', 'x', '1.5.2', '-']) {
    const read = readNumber(text, 'number')
    expect(isUnfinished(read)).toBe(true)
    expect(numberText(read)).toBe(text)
  }
  expect(readNumber('1e3', 'number')).toBe(1000)
  expect(isUnfinished(readNumber('1.5', 'integer'))).toBe(true)
  expect(readNumber(' ', 'integer')).toBeUndefined()
})

test('JSON comes back as it was', () => {
  expect(readJson('[1, {"a": null}]')).toEqual([1, { a: null }])
  expect(jsonText(readJson('[1, '))).toBe('[1, ')
  expect(jsonText({ a: 1 })).toBe('{\n  "a": 1\n}')
})
