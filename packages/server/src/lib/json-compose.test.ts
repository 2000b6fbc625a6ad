import { expect, test } from 'vitest'
import { parseJson } from './json.ts'
import { composeJsonText, mergeJsonObjects } from './json-compose.ts'

test.each([
  ['{}', '{"a":1}', '{"a":1}'],
  ['{"a": 1.0}', '{}', '{"a": 1.0}'],
  ['{"a":1,"b":2}', '{"b":3,"c":4}', '{"a":1,"b":3,"c":4}'],
  ['{"big":12345678901234567890,"z":1}', '{"one":1.0,"z":{"deep":[1.50]}}', '{"big":12345678901234567890,"z":{"deep":[1.50]},"one":1.0}'],
  ['{"__proto__":1}', '{"a":2}', '{"__proto__":1,"a":2}'],
])('%s under %s', (under, over, merged) => {
  expect(mergeJsonObjects(under, over)).toBe(merged)
})

test('pieces of what was read are written as they were sent', () => {
  const read = parseJson('{"list":[1.0, 2],"text":"é\\u0000","none":null}') as Record<string, unknown>
  expect(composeJsonText({ kept: read.list, also: [read.text, read.none, true] })).toBe('{"kept":[1.0, 2],"also":["é\\u0000",null,true]}')
})
