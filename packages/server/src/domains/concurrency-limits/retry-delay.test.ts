import { describe, expect, test } from 'vitest'
import { toMicros } from '../../lib/time.ts'
import type { LimitRow } from '../../runs/slots/decay.ts'
import { averageOccupancy, type FullLimit, retryAfterSeconds } from './retry-delay.ts'

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

describe('the average occupancy', () => {
  test('moves towards the last sample by one part in twice the limit', () => {
    expect(averageOccupancy(aLimit({ slots: 5, avg_slot_occupancy_seconds: 2 }), 1, 12)).toBeCloseTo(3, 6)
  })
  test('counts the time for each slot', () => {
    expect(averageOccupancy(aLimit({ slots: 5, avg_slot_occupancy_seconds: 2 }), 4, 48)).toBeCloseTo(3, 6)
  })
  test('does not change without slots', () => {
    expect(averageOccupancy(aLimit(), 0, 100)).toBe(2)
    expect(averageOccupancy(aLimit({ slots: 0 }), 1, 100)).toBe(2)
  })
})

describe('the retry delay', () => {
  const full = (denied: number, changes: Partial<LimitRow> = {}): FullLimit => ({
    denied,
    limit: aLimit({ slots: 2, avg_slot_occupancy_seconds: 4, denied_slots: denied, ...changes }),
  })

  test.each([
    ['is one turn for an empty queue', [full(0)], 2, 4],
    ['grows by a turn for each denied request', [full(4)], 2, 12],
    ['is bounded for slots that are held for long', [full(0, { avg_slot_occupancy_seconds: 3600 })], 2, 20],
    ['is bounded for a long queue', [full(1000)], 2, 20],
    ['is bounded by the tag setting for a tag limit', [full(1000, { name: 'tag:a' })], 2, 30],
    ['is exact for a rate limit', [full(5, { slot_decay_per_second: 0.1 })], 1, 60],
    ['follows the limit with the longest queue', [full(0), full(6)], 2, 16],
  ])('%s', (_name, limits, slots, average) => {
    const [least, middle, most] = [0, 0.5, 1].map((random) => retryAfterSeconds(limits, slots, waits, random))
    expect(most).toBeCloseTo(average * 1.3, 6)
    expect(least).toBeLessThan(middle as number)
    expect(middle).toBeLessThan(most as number)
    expect(least).toBeGreaterThan(average * 0.5)
  })
})
