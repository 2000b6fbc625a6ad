import { expect, test } from 'vitest'
import { parseJson } from './json.ts'

test('numbers beyond what JavaScript holds come back as they came', () => {
  const text = '{"id":12345678901234567890,"list":[-98765432109876543210,9007199254740993],"small":42,"text":"12345678901234567890"}'
  expect(JSON.stringify(parseJson(text))).toBe(text)
  expect(parseJson(text)).toMatchObject({ small: 42, text: '12345678901234567890' })
})

test('all else is plain JSON', () => {
  expect(parseJson('{"a":[1,2.5,"x",null,true]}')).toEqual({ a: [1, 2.5, 'x', null, true] })
  expect(() => parseJson('{')).toThrow(SyntaxError)
})
