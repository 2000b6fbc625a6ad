import { expect, test } from 'vitest'
import { MICROS_PER_SECOND } from '../../lib/time.ts'
import { nextHeartbeatInterval } from './record-heartbeats.ts'

/** What is known after heartbeats with these seconds between them. */
function intervalAfter(...gaps: number[]): number | null {
  let spacing: number | null = null
  for (const gap of gaps) spacing = nextHeartbeatInterval(spacing, gap * MICROS_PER_SECOND)
  return spacing
}

test.each([
  ['the first one', [180], 180],
  ['a longer one at once', [30, 60], 60],
  ['a shorter one by half', [60, 30], 45],
  ['what it was before one was lost, after a few', [30, 60, 30, 30, 30, 30], 32],
  ['no less than clients send', [1, 2, 5], 30],
  ['nothing of a gap of days', [30, 200_000], 30],
  ['nothing of a gap of days alone', [200_000], null],
])('takes %s', (_name, gaps, expected) => {
  const spacing = intervalAfter(...gaps)
  expect(spacing === null ? null : Math.round(spacing / MICROS_PER_SECOND)).toBe(expected)
})
