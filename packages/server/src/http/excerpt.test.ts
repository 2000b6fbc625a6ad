import { expect, test } from 'vitest'
import { parseJson } from '../lib/json.ts'
import { excerpt } from './excerpt.ts'

test.each(['{"a":[1,2.5,null,true,{"b":"ü"}],"c":{}}', '[]', '"text"', '12345678901234567890', '{"__proto__":1.0}', 'null'])(
  'what fits stays whole: %s',
  (text) => {
    expect(excerpt(parseJson(text), 100)).toEqual({ text, isWhole: true })
  },
)

test.each<[string, unknown]>([
  ['a text', 'x'.repeat(1000)],
  ['a list', Array.from({ length: 1000 }, (_, index) => index)],
  ['an object', Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, [index]]))],
  ['a key', { ['k'.repeat(1000)]: 1 }],
  ['a number', parseJson('9'.repeat(1000))],
])('shortens %s', (_name, value) => {
  const { text, isWhole } = excerpt(value, 50)
  expect([text.length, isWhole]).toEqual([50, false])
})

test('writes null for a value that is not JSON', () => {
  expect(excerpt({ a: undefined, b: () => 1 }, 100).text).toBe('{"a":null,"b":null}')
})
