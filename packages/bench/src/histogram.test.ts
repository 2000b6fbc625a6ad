import { expect, test } from 'vitest'
import { Histogram, round } from './histogram.ts'

test('finds percentiles to one percent', () => {
  const histogram = new Histogram()
  for (let ms = 1; ms <= 10_000; ms += 1) histogram.record(ms)
  for (const share of [0.01, 0.5, 0.95, 0.99]) expect(histogram.percentile(share) / (share * 10_000)).toBeCloseTo(1, 2)
  expect(Math.abs(histogram.percentile(0.5) - 5000)).toBeLessThan(50)
  expect(histogram.percentile(1)).toBeLessThanOrEqual(10_000)
  expect(histogram.count).toBe(10_000)
  expect(histogram.mean).toBe(5000.5)
})

test('keeps the largest value exactly, and no percentile exceeds it', () => {
  const histogram = new Histogram()
  for (const ms of [7, 7.001]) histogram.record(ms)
  const { p50, p99, max } = histogram.summary() ?? {}
  expect(max).toBe(7)
  expect(p99).toBeLessThanOrEqual(7)
  expect(Math.abs((p50 ?? 0) - 7)).toBeLessThan(0.04)
})

test('accepts values outside of its range', () => {
  const histogram = new Histogram()
  histogram.record(0)
  histogram.record(1e9)
  expect(histogram.count).toBe(2)
  expect(histogram.percentile(0.5)).toBeLessThan(0.01)
})

test('has no summary without values', () => {
  expect(new Histogram().summary()).toBeUndefined()
})

test('rounds to three digits', () => {
  expect([1234.5, 0.012345, 0].map(round)).toEqual([1230, 0.0123, 0])
})
