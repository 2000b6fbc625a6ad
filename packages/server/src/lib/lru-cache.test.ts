import { expect, test } from 'vitest'
import { LruCache } from './lru-cache.ts'

test('drops the least recently used entry above its number of entries', () => {
  const map = new LruCache<string, number>({ entriesMax: 2 })
  map.set('a', 1)
  map.set('b', 2)
  expect(map.get('a')).toBe(1)
  map.set('c', 3)
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3])
})

test('drops entries above its total weight, including a single heavier one', () => {
  const map = new LruCache<string, number>({ entriesMax: 10, weightMax: 10 })
  map.set('a', 1, 6)
  map.set('b', 2, 4)
  map.set('b', 3, 5)
  expect([map.get('a'), map.get('b')]).toEqual([undefined, 3])
  map.set('c', 4, 11)
  expect([map.get('b'), map.get('c')]).toEqual([undefined, undefined])
  map.set('d', 5, 10)
  expect(map.get('d')).toBe(5)
})
