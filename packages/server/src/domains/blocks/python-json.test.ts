import { expect, test } from 'vitest'
import { parseJson } from '../../lib/json.ts'
import { pythonJson } from './python-json.ts'

const written = (text: string): string => pythonJson(parseJson(text))

// The right-hand sides are what Python 3.11 writes: json.dumps(json.loads(text), sort_keys=True).
test.each([
  ['[1, 1.0, 1e3, 1E-5, 0.00001, 0.0001, 100000.0]', '[1, 1.0, 1000.0, 1e-05, 1e-05, 0.0001, 100000.0]'],
  ['[1e15, 1e16, 1e22, 1.5e300, 123456789012345680.0]', '[1000000000000000.0, 1e+16, 1e+22, 1.5e+300, 1.2345678901234568e+17]'],
  ['[-0, -0.0, -1.5, 0.1e1, 1e400]', '[0, -0.0, -1.5, 1.0, Infinity]'],
  ['[9007199254740993, 123456789012345678901234567890]', '[9007199254740993, 123456789012345678901234567890]'],
  ['{"b": {"z": true, "a": null}, "a": [], "B": {}}', '{"B": {}, "a": [], "b": {"a": null, "z": true}}'],
  ['"ü\u007f😀\\u0001\\n\\"\\\\/"', String.raw`"\u00fc\u007f\ud83d\ude00\u0001\n\"\\/"`],
  ['{"\uffff": 1, "😀": 2, "\ue000": 3, "é": 4, "z": 5}', String.raw`{"z": 5, "\u00e9": 4, "\ue000": 3, "\uffff": 1, "\ud83d\ude00": 2}`],
])('%s', (text, expected) => {
  expect(written(text)).toBe(expected)
})
