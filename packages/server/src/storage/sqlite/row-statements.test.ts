import { expect, test } from 'vitest'
import { insertStatement, updateStatements } from './row-statements.ts'

test('inserts the columns of the row in its order', () => {
  const { text, bind } = insertStatement('flow', { id: 'a', name: 'b' }, 'on conflict do nothing')
  expect(text).toBe('insert into flow (id, name) values (?, ?) on conflict do nothing')
  expect(bind({ name: 'd', id: 'c' })).toEqual(['c', 'd'])
})

test('assigns the columns that differ from the stored row', () => {
  const stored = new Map([
    ['a', { id: 'a', name: 'n', tags: '[]', updated: 1 }],
    ['b', { id: 'b', name: 'n', tags: '[]', updated: 1 }],
    ['c', { id: 'c', name: 'n', tags: '[]', updated: 1 }],
  ])
  const rows = [
    { id: 'a', name: 'n', tags: '["x"]', updated: 2 },
    { id: 'b', name: 'm', tags: '[]', updated: 1 },
    { id: 'c', name: 'n', tags: '["y"]', updated: 3 },
    { id: 'unknown', name: 'n', tags: '[]', updated: 1 },
  ]
  const groups = [...updateStatements('flow', rows, 'id', stored)].map(([{ text, bind }, group]) => [text, group.map(bind)])
  expect(groups).toEqual([
    [
      'update or fail flow set tags = ?, updated = ? where id = ?',
      [
        ['["x"]', 2, 'a'],
        ['["y"]', 3, 'c'],
      ],
    ],
    ['update or fail flow set name = ? where id = ?', [['m', 'b']]],
    ['update or fail flow set name = ?, tags = ?, updated = ? where id = ?', [['n', '[]', 1, 'unknown']]],
  ])
})

test('assigns all columns of a row without a change, and of all rows without stored ones', () => {
  const row = { id: 'a', name: 'n' }
  const texts = (stored?: Map<string, object>) => [...updateStatements('flow', [row], 'id', stored).keys()].map(({ text }) => text)
  expect(texts(new Map([['a', row]]))).toEqual(['update or fail flow set name = ? where id = ?'])
  expect(texts()).toEqual(['update or fail flow set name = ? where id = ?'])
})

test('distinguishes more columns than a 32-bit number has bits', () => {
  const stored = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`c${index}`, 0]))
  const row = { id: 'a', ...stored, c1: 1, c39: 1 }
  const [statement] = updateStatements('flow', [row], 'id', new Map([['a', { id: 'a', ...stored }]])).keys()
  expect(statement?.text).toBe('update or fail flow set c1 = ?, c39 = ? where id = ?')
  expect(statement?.bind(row)).toEqual([1, 1, 'a'])
})
