import { expect, test } from 'vitest'
import { JsonSyntaxError } from './json-exact.ts'
import { checkJsonLimits, JsonTooLarge } from './json-limits.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const list = (values: number) => `[${Array.from({ length: values }, () => '1').join(',')}]`

/** The error of a text; undefined for a valid one. */
function refusal(text: string, depthMax: number, valuesMax: number): unknown {
  try {
    checkJsonLimits(text, { depthMax, valuesMax })
    return undefined
  } catch (error) {
    if (error instanceof JsonTooLarge) return { type: error.type, msg: error.message }
    if (error instanceof JsonSyntaxError) return { position: error.position }
    throw error
  }
}

test('counts the depth, not the number of brackets', () => {
  expect(refusal(nested(5), 5, 10)).toBeUndefined()
  expect(refusal(nested(6), 5, 10)).toEqual({ type: 'json_too_deep', msg: 'JSON exceeds the nesting limit of 5' })
  expect(refusal(`{"a":${nested(5)}}`, 5, 10)).toMatchObject({ type: 'json_too_deep' })
  expect(refusal('[[],[],[],{},{},{"a":[]}]', 3, 10)).toBeUndefined()
})

test('counts values at any level', () => {
  expect(refusal(list(10), 5, 10)).toBeUndefined()
  expect(refusal(list(11), 5, 10)).toEqual({ type: 'json_too_large', msg: 'JSON exceeds the limit of 10 values' })
  expect(refusal('{"a":1,"b":[1,2],"c":{"d":1,"e":2}}', 5, 4)).toMatchObject({ type: 'json_too_large' })
})

test('counts empty lists and objects', () => {
  expect(refusal(`[${'[[[]]],'.repeat(3)}1]`, 5, 10)).toBeUndefined()
  expect(refusal(`[${'[[[]]],'.repeat(4)}1]`, 5, 10)).toMatchObject({ type: 'json_too_large' })
})

test.each(['"[[[[[[,,,,,,,,,,,,"', '"\\"[[[[[[[["', '"\\\\"', '["a\\\\\\"[[[[[[[["]'])('ignores the content of strings: %s', (text) => {
  expect(refusal(text, 3, 5)).toBeUndefined()
})

test.each([
  ['["a", "b]', 6],
  ['["a\\"]', 1],
  ['"\\\\\\"', 0],
  ['[1, 2', 5],
  ['[1]]', 3],
])('rejects unbalanced brackets and quotes: %s', (text, position) => {
  expect(refusal(text, 3, 5)).toEqual({ position })
})

test.each([' ', '1', 'x'])('rejects an overlong run of %j', (character) => {
  expect(refusal(`[${character.repeat(200_000)},1]`, 3, 5)).toMatchObject({ type: 'json_too_large' })
  expect(refusal(`["${character.repeat(200_000)}",1]`, 3, 5)).toBeUndefined()
})
