import { expect, test } from 'vitest'
import { isUnparsedInput } from './field-kind.ts'
import { formatJsonInput, formatNumberInput, isSameJson, parseJsonInput, parseNumberInput } from './json-input.ts'

test('keeps all digits of integers', () => {
  expect(JSON.stringify({ n: parseNumberInput('9007199254740993', 'integer') })).toBe('{"n":9007199254740993}')
  expect(parseNumberInput('007', 'integer')).toBe(7)
  expect(parseNumberInput('-12', 'integer')).toBe(-12)
  expect(formatNumberInput(parseNumberInput('9007199254740993', 'number'))).toBe('9007199254740993')
  expect(isSameJson(parseNumberInput('9007199254740993', 'integer'), parseNumberInput('9007199254740993', 'integer'))).toBe(true)
})

test('keeps text that is not a number', () => {
  for (const text of ['1e', 'x', '1.5.2', '-']) {
    const read = parseNumberInput(text, 'number')
    expect(isUnparsedInput(read)).toBe(true)
    expect(formatNumberInput(read)).toBe(text)
  }
  expect(parseNumberInput('1e3', 'number')).toBe(1000)
  expect(isUnparsedInput(parseNumberInput('1.5', 'integer'))).toBe(true)
  expect(parseNumberInput(' ', 'integer')).toBeUndefined()
})

test('round-trips JSON', () => {
  expect(parseJsonInput('[1, {"a": null}]')).toEqual([1, { a: null }])
  expect(formatJsonInput(parseJsonInput('[1, '))).toBe('[1, ')
  expect(formatJsonInput({ a: 1 })).toBe('{\n  "a": 1\n}')
})
