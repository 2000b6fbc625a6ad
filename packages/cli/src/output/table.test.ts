import { expect, test } from 'vitest'
import { stylerFor } from './style.ts'
import { type Column, formatFields, formatTable } from './table.ts'

interface Item {
  readonly name: string
  readonly count?: number | null
  readonly isOn?: boolean
}

const plain = stylerFor({ write: () => undefined }, {})
const name: Column<Item> = { title: 'NAME', value: (item) => item.name }
const count: Column<Item> = { title: 'COUNT', value: (item) => item.count, isNumber: true }
const on: Column<Item> = { title: 'ON', value: ({ isOn }) => isOn }

test('aligns texts to the left and numbers to the right, without spaces at line ends', () => {
  expect(
    formatTable([{ name: 'a', count: 5, isOn: true }, { name: 'long name', count: 12_345, isOn: false }, { name: '' }], [name, count, on], plain),
  ).toBe(['NAME       COUNT  ON', 'a              5  yes', 'long name  12345  no', ''].join('\n'))
})

test('shortens the widest column first to fit the terminal', () => {
  const items = [{ name: 'x'.repeat(60), count: 1 }]
  const table = formatTable(items, [name, count], plain, 30)
  expect(table.split('\n').map(({ length }) => length)).toEqual([30, 30])
  expect(table).toContain(`${'x'.repeat(22)}…      1`)
})

test('keeps fixed columns whole and a minimum width of the others', () => {
  const fixed = { ...name, isFixed: true }
  const other = { ...name, title: 'OTHER' }
  expect(formatTable([{ name: 'x'.repeat(40) }], [fixed, other], plain, 20).split('\n')[1]).toBe(`${'x'.repeat(40)}  ${'x'.repeat(7)}…`)
})

test('leaves out optional columns from the right if the others do not fit otherwise', () => {
  const optional = { ...name, isOptional: true }
  const items = [{ name: 'x'.repeat(30), count: 1 }]
  const headings = (width?: number) =>
    formatTable(items, [name, { ...optional, title: 'SECOND' }, { ...optional, title: 'THIRD' }, count], plain, width)
      .split('\n')[0]
      ?.match(/\S+/g)
  expect(headings(40)).toEqual(['NAME', 'SECOND', 'THIRD', 'COUNT'])
  expect(headings(30)).toEqual(['NAME', 'SECOND', 'COUNT'])
  expect(headings(20)).toEqual(['NAME', 'COUNT'])
  expect(headings()).toEqual(['NAME', 'SECOND', 'THIRD', 'COUNT'])
})

test('counts wide characters as two columns and combining marks as none', () => {
  expect(
    formatTable(
      [
        { name: '日本', count: 1 },
        { name: 'e\u0301', count: 2 },
        { name: '🚀', count: 3 },
      ],
      [name, count],
      plain,
    ),
  ).toBe(['NAME  COUNT', '日本      1', 'e\u0301         2', '🚀        3'].join('\n'))
})

test('does not cut a wide character in half', () => {
  expect(formatTable([{ name: '日'.repeat(20), count: 1 }], [name, count], plain, 20).split('\n')[1]).toBe(`${'日'.repeat(6)}…      1`)
})

test('replaces control characters, direction marks and line breaks of user data', () => {
  expect(formatTable([{ name: 'a\u001b[31mred\u0007\u009b\r\n next\tx\u202e' }], [name], plain).split('\n')[1]).toBe('a�[31mred�� next�x�')
})

test('draws a table of more rows than a call has arguments', () => {
  const items = Array.from({ length: 200_000 }, () => ({ name: 'a' }))
  expect(formatTable(items, [name], plain)).toHaveLength(4 + 2 * items.length)
})

test('styles headings and cells without changing their width', () => {
  const style = stylerFor({ isTTY: true, write: () => undefined }, {})
  const table = formatTable([{ name: 'ab', count: 1 }], [{ ...name, style: () => 'red' as const }, count], style)
  expect(table).toContain('\u001b[31mab  \u001b[39m')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removes the styles
  expect(table.replaceAll(/\u001b\[\d+m/g, '')).toBe('NAME  COUNT\nab        1')
})

test('lists the fields of one item', () => {
  expect(formatFields({ name: 'a\nb', count: null, isOn: true }, [name, count, on], plain)).toBe('NAME   a b\nCOUNT\nON     yes')
})
