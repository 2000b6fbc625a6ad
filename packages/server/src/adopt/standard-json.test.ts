import { expect, test } from 'vitest'
import { toStandardJson } from './standard-json.ts'

test.each([
  ['converts a JSON null to null', 'null', null],
  ['keeps null', null, null],
  ['keeps standard JSON unchanged', '{"a": 1.0, "b": [12345678901234567890]}', '{"a": 1.0, "b": [12345678901234567890]}'],
  ['replaces NaN and Infinity by null', '[NaN, -Infinity, {"a": Infinity}]', '[null, null, {"a": null}]'],
  ['keeps NaN inside strings', '{"NaN": "it\'s \\"NaN\\"", "b": NaN}', '{"NaN": "it\'s \\"NaN\\"", "b": null}'],
])('%s', (_name, given, expected) => {
  expect(toStandardJson(given)).toBe(expected)
})
