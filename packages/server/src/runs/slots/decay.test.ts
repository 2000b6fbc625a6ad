import { describe, expect, test } from 'vitest'
import { addSeconds, toMicros } from '../../lib/time.ts'
import { decayingSlots, deniedSlots, type LimitRow, wholeSlots } from './decay.ts'

const now = toMicros('2030-01-01T00:00:00Z')
const waits = { tag_slot_wait_seconds: 30, maximum_slot_wait_seconds: 20 }

const aLimit = (changes: Partial<LimitRow> = {}): LimitRow => ({
  id: '018f0000-0000-7000-8000-000000000001',
  created: now,
  updated: now,
  name: 'a',
  active: true,
  slots: 5,
  slot_decay_per_second: 0,
  avg_slot_occupancy_seconds: 2,
  decaying_slots: 0,
  denied_slots: 0,
  settled: now,
  ...changes,
})

describe('decaying slots', () => {
  test.each([
    [0, 5, 5],
    [0.4, 4.6, 5],
    [1, 4, 4],
    [4.999, 0.001, 1],
    [5, 0, 0],
    [500, 0, 0],
  ])('after %d seconds are %d, rounded %d', (seconds, level, whole) => {
    const amount = decayingSlots(aLimit({ slot_decay_per_second: 1, decaying_slots: 5 }), addSeconds(now, seconds))
    expect(amount).toBeCloseTo(level, 6)
    expect(wholeSlots(amount)).toBe(whole)
  })

  test('do not increase when the clock goes back', () => {
    expect(decayingSlots(aLimit({ slot_decay_per_second: 1, decaying_slots: 5 }), addSeconds(now, -10))).toBe(5)
  })

  test('do not gain a slot by rounding errors', () => {
    const limit = aLimit({ slot_decay_per_second: 0.3 })
    for (let i = 0; i < 10; i += 1) limit.decaying_slots = decayingSlots(limit, now) + 0.3
    expect(wholeSlots(limit.decaying_slots)).toBe(3)
  })
})

describe('denied slots', () => {
  test.each([
    ['decay as fast as the slots of a rate limit', { slot_decay_per_second: 2 }, 4],
    ['decay as fast as slots are released on average', { avg_slot_occupancy_seconds: 4 }, 7.5],
    ['decay no slower than callers retry', { avg_slot_occupancy_seconds: 3600 }, 9.5],
    ['decay by the tag setting for a tag limit', { name: 'tag:a', avg_slot_occupancy_seconds: 3600 }, 10 - 10 / 30],
    ['decay no faster than ten a second', { avg_slot_occupancy_seconds: 0.01 }, 0],
  ])('%s', (_name, changes, left) => {
    const seconds = 'slot_decay_per_second' in changes ? 3 : 10
    expect(deniedSlots(aLimit({ denied_slots: 10, ...changes }), addSeconds(now, seconds), waits)).toBeCloseTo(left, 6)
  })
})
