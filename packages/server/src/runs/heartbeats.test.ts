import { expect, test } from 'vitest'
import { MICROS_PER_SECOND } from '../lib/time.ts'
import { nextHeartbeatInterval } from './heartbeats.ts'

/** The interval after heartbeats with these gaps in seconds. */
function intervalAfter(...gaps: number[]): number | null {
  let spacing: number | null = null
  for (const gap of gaps) spacing = nextHeartbeatInterval(spacing, gap * MICROS_PER_SECOND)
  return spacing
}

test.each([
  ['the first interval', [180], 180],
  ['a longer interval immediately', [30, 60], 60],
  ['a shorter interval by half', [60, 30], 45],
  ['the previous interval again after a lost heartbeat', [30, 60, 30, 30, 30, 30], 32],
  ['at least the minimum interval', [1, 2, 5], 30],
  ['no gap of days', [30, 200_000], 30],
  ['no single gap of days', [200_000], null],
])('takes %s', (_name, gaps, expected) => {
  const spacing = intervalAfter(...gaps)
  expect(spacing === null ? null : Math.round(spacing / MICROS_PER_SECOND)).toBe(expected)
})
