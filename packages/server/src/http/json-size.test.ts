import { expect, test } from 'vitest'
import { JsonSyntaxError } from '../lib/json-exact.ts'
import { oversize } from './json-size.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const list = (values: number) => `[${Array.from({ length: values }, () => '1').join(',')}]`

test('the depth counts, not the number of brackets', () => {
  expect(oversize(nested(5), 5, 10)).toBeUndefined()
  expect(oversize(nested(6), 5, 10)).toEqual({ type: 'json_too_deep', msg: 'JSON may be nested 5 deep at most' })
  expect(oversize(`{"a":${nested(5)}}`, 5, 10)?.type).toBe('json_too_deep')
  expect(oversize('[[],[],[],{},{},{"a":[]}]', 3, 10)).toBeUndefined()
})

test('values are counted wherever they are', () => {
  expect(oversize(list(10), 5, 10)).toBeUndefined()
  expect(oversize(list(11), 5, 10)).toEqual({ type: 'json_too_large', msg: 'JSON may hold 10 values at most' })
  expect(oversize('{"a":1,"b":[1,2],"c":{"d":1,"e":2}}', 5, 4)?.type).toBe('json_too_large')
})

test.each(['"[[[[[[,,,,,,,,,,,,"', '"\\"[[[[[[[["', '"\\\\"', '["a\\\\\\"[[[[[[[["]'])('what stands in texts does not count: %s', (text) => {
  expect(oversize(text, 3, 5)).toBeUndefined()
})

test.each([
  ['["a", "b]', 6],
  ['["a\\"]', 1],
  ['"\\\\\\"', 0],
])('a text without end is told with its beginning: %s', (text, position) => {
  try {
    oversize(text, 3, 5)
    expect.unreachable()
  } catch (error) {
    expect([error instanceof JsonSyntaxError, (error as JsonSyntaxError).position]).toEqual([true, position])
  }
})
