import { expect, test } from 'vitest'
import { type FullLimit, retryAfterSeconds } from './retry-after.ts'

const waits = { tag_slot_wait_seconds: 30, maximum_slot_wait_seconds: 20 }
const full = (denied: number, changes: Partial<FullLimit['limit']> = {}): FullLimit => ({
  denied,
  limit: {
    id: '018f0000-0000-7000-8000-000000000001',
    created: 0,
    updated: 0,
    name: 'a',
    active: true,
    slots: 2,
    slot_decay_per_second: 0,
    avg_slot_occupancy_seconds: 4,
    decaying_slots: 0,
    denied_slots: denied,
    settled: 0,
    ...changes,
  },
})

/** The bounds of the answer about an average: the random number goes from one end to the other. */
const around = (limits: readonly FullLimit[], slots: number) => [0, 0.5, 1].map((random) => retryAfterSeconds(limits, slots, waits, random))

test.each([
  ['a turn later where the queue is empty', [full(0)], 2, 4],
  ['as many turns as others were refused', [full(4)], 2, 12],
  ['never longer than the setting, however long slots are held', [full(0, { avg_slot_occupancy_seconds: 3600 })], 2, 20],
  ['never longer than the setting, however long the queue', [full(1000)], 2, 20],
  ['a tag has a setting of its own', [full(1000, { name: 'tag:a' })], 2, 30],
  ['a rate knows exactly', [full(5, { slot_decay_per_second: 0.1 })], 1, 60],
  ['the longest queue counts', [full(0), full(6)], 2, 16],
])('%s', (_name, limits, slots, average) => {
  const [least, middle, most] = around(limits, slots)
  expect(most).toBeCloseTo(average * 1.3, 6)
  expect(least).toBeLessThan(middle as number)
  expect(middle).toBeLessThan(most as number)
  expect(least).toBeGreaterThan(average * 0.5)
})
