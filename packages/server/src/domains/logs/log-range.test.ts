import { expect, test } from 'vitest'
import { createIdGenerator } from '../../lib/ids.ts'
import { seededRandom } from '../../lib/random.ts'
import { toMicros } from '../../lib/time.ts'
import { RecentIds } from './live-logs.ts'
import { decodeRange, encodeRange, rangeSince } from './log-range.ts'
import type { LogRow } from './store.ts'

test('encodes the ids and times of a batch', () => {
  const row = (id: string, timestamp: number) => ({ id, timestamp }) as LogRow
  expect(decodeRange(encodeRange([row('b', 3), row('a', 7), row('c', -2)]))).toEqual({ first: 'a', last: 'c', since: -2, until: 7 })
  expect(decodeRange('')).toBeUndefined()
})

test('starts a range at the first id of a time', () => {
  const time = toMicros('2030-01-01T00:00:00.123000Z')
  const id = (micros: number) => createIdGenerator({ now: () => micros }, seededRandom(1))()
  const { first, last } = rangeSince(time, undefined)
  expect(id(time - 1000) < first).toBe(true)
  expect(id(time) > first && id(time) < last).toBe(true)
  expect(rangeSince(time, id(time)).first).toBe(id(time))
  expect(rangeSince(time, id(time - 1000)).first).toBe(first)
})

test('evicts the oldest ids', () => {
  const ids = new RecentIds(2)
  expect([ids.add('a'), ids.add('b'), ids.add('a'), ids.oldest]).toEqual([true, true, false, undefined])
  expect([ids.add('c'), ids.oldest, ids.add('a'), ids.oldest]).toEqual([true, 'b', true, 'c'])
  ids.clear()
  expect([ids.oldest, ids.add('c')]).toEqual([undefined, true])
})
