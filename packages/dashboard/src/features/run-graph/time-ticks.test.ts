import { expect, test } from 'vitest'
import { timeTicks } from './time-ticks.ts'

const noon = Date.UTC(2026, 0, 1, 12)
const minute = 60_000

test.each([
  ['milliseconds', 400, 8, 'milli', 50],
  ['seconds', 60_000, 8, 'second', 10_000],
  ['minutes', 40 * minute, 8, 'clock', 5 * minute],
  ['days', 6 * 1440 * minute, 8, 'minute', 1440 * minute],
] as const)('over %s', (_name, span, most, style, step) => {
  const ticks = timeTicks(noon, noon + span, most, 0)
  expect(ticks.style).toBe(style)
  expect(ticks.times.length).toBeGreaterThan(2)
  expect(ticks.times.length).toBeLessThanOrEqual(most + 1)
  expect((ticks.times[1] as number) - (ticks.times[0] as number)).toBe(step)
})

test('starts days at local midnight', () => {
  const offset = 2 * 60 * minute
  const { times } = timeTicks(noon, noon + 4 * 1440 * minute, 4, offset)
  expect(((times[0] as number) + offset) % (1440 * minute)).toBe(0)
})
