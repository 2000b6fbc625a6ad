import { expect, test } from 'vitest'
import { findCycle } from './find-cycle.ts'

const graph = (edges: Record<string, string[]>) => new Map(Object.entries(edges))

test.each([
  [{}, undefined],
  [{ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, undefined],
  [{ a: ['elsewhere'] }, undefined],
  [{ a: ['a'] }, ['a', 'a']],
  [{ a: ['b'], b: ['c'], c: ['b'] }, ['b', 'c', 'b']],
  [{ a: [], b: ['c'], c: ['d', 'a'], d: ['b'] }, ['b', 'c', 'd', 'b']],
] as [Record<string, string[]>, string[] | undefined][])('%j', (edges, cycle) => {
  expect(findCycle(graph(edges))).toEqual(cycle)
})

test('handles a chain of 20,000 nodes', () => {
  const chain = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`n${i}`, [`n${i + 1}`]]))
  expect(findCycle(graph(chain))).toBeUndefined()
})
