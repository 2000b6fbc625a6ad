import { expect, test } from 'vitest'
import { layoutInLayers } from './layered-layout.ts'

const layOut = (count: number, pairs: readonly (readonly [number, number])[]) =>
  layoutInLayers({ count, from: Uint32Array.from(pairs, ([from]) => from), to: Uint32Array.from(pairs, ([, to]) => to) })

test('places nodes after their dependencies', () => {
  const { column } = layOut(5, [
    [0, 1],
    [1, 2],
    [0, 2],
    [3, 4],
  ])
  expect([...column]).toEqual([0, 1, 2, 0, 1])
})

test('orders rows to avoid crossings', () => {
  const { row } = layOut(6, [
    [0, 5],
    [1, 4],
    [2, 3],
  ])
  expect([row[5], row[4], row[3]]).toEqual([row[0], row[1], row[2]])
})

test('gives every node its own cell', () => {
  const pairs = Array.from({ length: 4000 }, (_, edge): [number, number] => {
    const to = 1 + ((edge * 7919) % 1999)
    return [(edge * 104_729) % to, to]
  })
  const { column, row, heights } = layOut(2000, pairs)
  expect(new Set(Array.from(column, (each, index) => `${each} ${row[index]}`)).size).toBe(2000)
  for (const [from, to] of pairs) expect(column[from]).toBeLessThan(column[to] as number)
  expect(heights.reduce((sum, each) => sum + each, 0)).toBe(2000)
})

test('folds large layers into columns', () => {
  const { heights } = layOut(3000, [])
  expect(heights.length).toBeGreaterThan(10)
  expect(Math.max(...heights)).toBeLessThan(200)
})

test('terminates on cycles', () => {
  const { column } = layOut(4, [
    [0, 1],
    [1, 2],
    [2, 1],
    [3, 3],
  ])
  expect(column[0]).toBe(0)
  expect(column.length).toBe(4)
})

test('returns no columns for an empty graph', () => expect([...layOut(0, []).heights]).toEqual([]))
