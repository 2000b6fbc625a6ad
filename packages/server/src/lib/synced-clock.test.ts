import { describe, expect, test } from 'vitest'
import { SyncedClock } from './synced-clock.ts'
import { MICROS_PER_SECOND } from './time.ts'

const hour = 3600 * MICROS_PER_SECOND
const ms = 1000
const start = 1_900_000_000 * MICROS_PER_SECOND

/** A machine with a wrong wall clock, and a correct clock to follow. */
function setup(skew: number) {
  let elapsed = 0
  let wallSkew = skew
  let authoritySet = 0
  const machine = { wall: () => start + elapsed + wallSkew, monotonic: () => 5 * hour + elapsed }
  const clock = new SyncedClock(machine)
  return {
    clock,
    pass: (micros: number) => {
      elapsed += micros
    },
    setWall: (change: number) => {
      wallSkew += change
    },
    setAuthority: (change: number) => {
      authoritySet += change
    },
    truth: () => start + elapsed + authoritySet,
    /** One reading, taken in the middle of its round trip or after `there`. */
    read: (roundTrip: number, there = roundTrip / 2) => {
      const sent = machine.monotonic()
      elapsed += there
      const time = start + elapsed + authoritySet
      elapsed += roundTrip - there
      clock.observe({ sent, received: machine.monotonic(), time })
    },
  }
}

describe('a synced clock', () => {
  test('shows the wall clock until the first reading', () => {
    const { clock, truth } = setup(hour)
    expect(clock.now()).toBe(truth() + hour)
  })

  test('can be read by its function alone', () => {
    const { clock, truth, read } = setup(hour)
    read(2 * ms)
    const { now } = clock
    expect(Math.abs(now() - truth())).toBeLessThanOrEqual(1)
  })

  test.each([hour, -hour, 24 * hour])('follows the authority when the wall clock is off by %d µs', (skew) => {
    const { clock, truth, read, pass } = setup(skew)
    read(2 * ms)
    expect(Math.abs(clock.now() - truth())).toBeLessThanOrEqual(1)
    pass(hour)
    expect(Math.abs(clock.now() - truth())).toBeLessThanOrEqual(1)
    expect(clock.skewSeconds()).toBeCloseTo(skew / MICROS_PER_SECOND, 3)
  })

  test('ignores a wall clock that is set while it runs', () => {
    const { clock, truth, read, setWall, pass } = setup(0)
    read(2 * ms)
    setWall(-hour)
    pass(ms)
    expect(Math.abs(clock.now() - truth())).toBeLessThanOrEqual(1)
    expect(clock.skewSeconds()).toBeCloseTo(-3600, 3)
  })

  test('prefers the reading with the shortest round trip', () => {
    const { clock, truth, read } = setup(0)
    read(2 * ms)
    read(400 * ms, 390 * ms)
    expect(Math.abs(clock.now() - truth())).toBeLessThanOrEqual(1)
  })

  test('is never off by more than half of the round trip', () => {
    const { clock, truth, read } = setup(0)
    read(400 * ms, 0)
    expect(Math.abs(clock.now() - truth())).toBeLessThanOrEqual(200 * ms + 1)
  })

  test('follows an authority that is set, at the next reading', () => {
    const { clock, truth, read, setAuthority } = setup(0)
    for (let n = 0; n < 10; n += 1) read(2 * ms)
    setAuthority(-hour)
    read(30 * ms)
    expect(Math.abs(clock.now() - truth())).toBeLessThanOrEqual(1)
  })

  test('does not go back by a small correction', () => {
    const { clock, read } = setup(0)
    read(400 * ms, 0)
    const before = clock.now()
    read(2 * ms)
    expect(clock.now()).toBeGreaterThan(before)
  })
})
