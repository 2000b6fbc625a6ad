import { expect, test } from 'vitest'
import { toStandardJson } from './standard-json.ts'

test.each([
  ['a null is nothing', 'null', null],
  ['nothing is nothing', null, null],
  ['what is JSON stays as it is', '{"a": 1.0, "b": [12345678901234567890]}', '{"a": 1.0, "b": [12345678901234567890]}'],
  ['numbers that are none', '[NaN, -Infinity, {"a": Infinity}]', '[null, null, {"a": null}]'],
  ['the same words in texts', '{"NaN": "it\'s \\"NaN\\"", "b": NaN}', '{"NaN": "it\'s \\"NaN\\"", "b": null}'],
])('%s', (_name, given, expected) => {
  expect(toStandardJson(given)).toBe(expected)
})
