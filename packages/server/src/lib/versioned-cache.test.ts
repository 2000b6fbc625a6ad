import { expect, test } from 'vitest'
import { VersionedCache } from './versioned-cache.ts'

test('returns a value for its version only', () => {
  const cache = new VersionedCache<string>(100)
  cache.set('a', '1', 'first', 10)
  expect(cache.get('a', '1')).toBe('first')
  expect(cache.get('a', '2')).toBeUndefined()
  cache.set('a', '2', 'second', 10)
  expect(cache.get('a', '1')).toBeUndefined()
  expect(cache.get('a', '2')).toBe('second')
})

test('keeps entries that are read and drops others when it is full', () => {
  const cache = new VersionedCache<number>(100)
  cache.set('used', '1', 0, 10)
  cache.set('unused', '1', 0, 10)
  for (let index = 0; index < 50; index += 1) {
    cache.set(`other-${index}`, '1', index, 10)
    expect(cache.get('used', '1')).toBe(0)
  }
  expect(cache.get('unused', '1')).toBeUndefined()
})

test('never holds more than its size', () => {
  const cache = new VersionedCache<number>(100)
  for (let index = 0; index < 1000; index += 1) cache.set(`${index}`, '1', index, 7)
  const held = Array.from({ length: 1000 }, (_, index) => cache.get(`${index}`, '1')).filter((value) => value !== undefined)
  expect(held.length).toBeLessThanOrEqual(14)
  expect(held.length).toBeGreaterThanOrEqual(7)
  cache.set('large', '1', 1, 51)
  expect(cache.get('large', '1')).toBeUndefined()
})

test('replaces a value of any size without counting it twice', () => {
  const cache = new VersionedCache<number>(100)
  for (let version = 0; version < 100; version += 1) cache.set('a', `${version}`, version, 30)
  cache.set('b', '1', 1, 20)
  expect(cache.get('a', '99')).toBe(99)
  expect(cache.get('b', '1')).toBe(1)
})
