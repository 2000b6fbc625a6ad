import { expect, test } from 'vitest'
import { compress, encodeColumns } from './column-codec.ts'
import { SegmentCache } from './segment-cache.ts'

const segment = (first: number) => ({ first, key: String(first) })

test('counts the memory of decoded parts, and evicts the oldest first', async () => {
  const cache = new SegmentCache()
  const mebibyte = 1024 * 1024
  const stored = await compress(encodeColumns([new Uint32Array(mebibyte)]))
  expect(stored.byteLength).toBeLessThan(mebibyte / 100)
  for (let first = 0; first < 20; first += 1) cache.set(segment(first), 'resources', stored)
  const kept = Array.from({ length: 20 }, (_, first) => first).filter((first) => cache.get(segment(first), 'resources'))
  expect(kept).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
})

test('drops parts that were not used between two sweeps', () => {
  const cache = new SegmentCache()
  const stored = encodeColumns([new Uint32Array(4)])
  for (const first of [1, 2]) cache.set(segment(first), 'resources', stored)
  expect(cache.sweep()).toBe(true)
  expect(cache.get(segment(2), 'resources')).toBeDefined()
  expect(cache.sweep()).toBe(true)
  expect([cache.get(segment(1), 'resources'), cache.get(segment(2), 'resources')]).toEqual([undefined, new Uint32Array(4)])
  cache.sweep()
  expect(cache.sweep()).toBe(false)
})
