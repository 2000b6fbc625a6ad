import { expect, test } from 'vitest'
import { parseJson } from './json.ts'

test('preserves integers beyond the safe range', () => {
  const text = '{"id":12345678901234567890,"list":[-98765432109876543210,9007199254740993],"small":42,"text":"12345678901234567890"}'
  expect(JSON.stringify(parseJson(text))).toBe(text)
  expect(parseJson(text)).toMatchObject({ small: 42, text: '12345678901234567890' })
})

test('parses all other JSON as usual', () => {
  expect(parseJson('{"a":[1,2.5,"x",null,true]}')).toEqual({ a: [1, 2.5, 'x', null, true] })
  expect(() => parseJson('{')).toThrow(SyntaxError)
})
