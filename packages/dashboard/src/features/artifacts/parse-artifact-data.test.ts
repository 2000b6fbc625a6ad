import { expect, test } from 'vitest'
import { parseLinkData, parseTableData } from './parse-artifact-data.ts'

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

test.each([
  ['[Report](https://example.com/r?x=1)', { text: 'Report', url: 'https://example.com/r?x=1' }],
  ['[](https://example.com)', { text: 'https://example.com', url: 'https://example.com' }],
  ['https://example.com/a', { text: 'https://example.com/a', url: 'https://example.com/a' }],
  ['[Click](javascript:alert(1))', { text: 'Click', url: undefined }],
  ['just words', { text: 'just words', url: undefined }],
])('%s', (data, link) => expect(parseLinkData(data)).toEqual(link))

test('rejects data that is not text', () => expect(parseLinkData({ href: 'https://example.com' })).toBeUndefined())
