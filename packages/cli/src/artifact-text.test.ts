import { expect, test } from 'vitest'
import { artifactLines } from './artifact-text.ts'

const plain = (_style: unknown, text: string) => text
const marked = (style: unknown, text: string) => `<${String(style)}>${text}`

test.each([
  ['rows as objects', [{ a: 1, b: 'x' }, { a: 22 }], [' a  b', ' 1  x', '22']],
  ['rows as lists', [[1, 'x'], [22]], [' 1  2', ' 1  x', '22']],
  ['columns as lists', { a: [1, 22], b: ['x'] }, [' a  b', ' 1  x', '22']],
  ['JSON as text', '[{"a": 12345678901234567890, "b": {"c": [1]}}]', ['a                     b', '12345678901234567890  {"c":[1]}']],
])('prints a table of %s', (_name, data, expected) => {
  expect(artifactLines({ type: 'table', data }, plain, undefined)).toEqual(expected)
})

test('fits a table into a terminal', () => {
  const data = [{ name: 'a long name of a table', rows: 1 }]
  expect(artifactLines({ type: 'table', data }, plain, 20)).toEqual(['name            rows', 'a long name o…     1'])
})

test.each([
  ['data that is no table', 'table', 'just text\u001b[2J', ['just text\ufffd[2J']],
  ['an empty table', 'table', [], ['[]']],
  ['a link', 'link', '[Docs](https://example.com)', ['[Docs](https://example.com)']],
  ['an unknown type', 'result', { a: 1 }, ['{', '  "a": 1', '}']],
  ['no data', null, null, ['null']],
  ['progress beyond its range', 'progress', 250, [`${'█'.repeat(40)} 250 %`]],
])('prints %s', (_name, type, data, expected) => {
  expect(artifactLines({ type, data }, plain, undefined)).toEqual(expected)
})

test('marks headings and code of markdown', () => {
  const data = '# Title\r\ntext\n```\n# code\n```\nend'
  expect(artifactLines({ type: 'markdown', data }, marked, undefined)).toEqual([
    '<bold># Title',
    'text',
    '<gray>```',
    '<gray># code',
    '<gray>```',
    'end',
  ])
})
