import { expect, test } from 'vitest'
import { parseTableData } from './parse-table-data.ts'

test.each([
  [
    'rows with names',
    [
      { a: 1, b: 2 },
      { b: 3, c: null },
    ],
    ['a', 'b', 'c'],
    [
      [1, 2, undefined],
      [undefined, 3, null],
    ],
  ],
  ['the same as text', '[{"a":1},{"a":2}]', ['a'], [[1], [2]]],
  [
    'columns',
    { a: [1, 2], b: ['x'] },
    ['a', 'b'],
    [
      [1, 'x'],
      [2, undefined],
    ],
  ],
  ['rows without names', [[1, 2], [3]], ['1', '2'], [[1, 2], [3]]],
  ['no rows', [], [], []],
])('%s', (_name, data, columns, rows) => expect(parseTableData(data)).toEqual({ columns, rows }))

test.each([
  ['no JSON', 'hello'],
  ['a number', 3],
  ['mixed rows', [1, { a: 1 }]],
  ['an object of values', { a: 1 }],
  ['nothing', null],
])('%s is no table', (_name, data) => expect(parseTableData(data)).toBeUndefined())
