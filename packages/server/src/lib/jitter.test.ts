import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyJitter } from '../lib/jitter.ts'

test.each([
  [100, 0.5, 0, 62.94],
  [100, 0.5, 1, 150],
  [100, 0.3, 0, 75.18],
  [10, 100, 0, 0],
  [0, 0.5, 0.5, 0],
  [-5, 0.5, 0.5, 0],
  [30, 0, 0.9, 30],
])('maps average %d, factor %d and random %d to %d', (average, factor, random, seconds) => {
  expect(applyJitter(average, factor, random)).toBeCloseTo(seconds, 2)
})

test('stays within its bounds and grows with the random number', () => {
  const unit = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
  fc.assert(
    fc.property(
      fc.double({ min: 0.001, max: 1e6, noNaN: true }),
      fc.double({ min: 0.001, max: 20, noNaN: true }),
      unit,
      unit,
      (average, factor, one, other) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)].map((random) => applyJitter(average, factor, random))
        expect(high).toBeLessThanOrEqual(average * (1 + factor) * 1.0001)
        expect(low).toBeLessThanOrEqual(high ?? 0)
      },
    ),
  )
})

test('keeps the mean near the average', () => {
  const draws = Array.from({ length: 1000 }, (_, index) => applyJitter(100, 0.5, index / 1000))
  expect(draws.reduce((sum, draw) => sum + draw, 0) / draws.length).toBeCloseTo(100, -1)
})
