import { expect, test } from 'vitest'
import { formatAge, formatDuration } from './time-text.ts'

test.each([
  [0, '0s'],
  [3.24, '3.2s'],
  [9.99, '10s'],
  [42.4, '42s'],
  [59.7, '1m'],
  [60, '1m'],
  [3900, '1h 5m'],
  [3600, '1h'],
  [90_000, '1d 1h'],
])('formats a duration of %d seconds as %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})

test.each([
  ['2030-01-01T00:00:00Z', 'now'],
  ['2029-12-31T23:55:00Z', '5m ago'],
  ['2030-01-01T02:00:00Z', 'in 2h'],
  [null, ''],
])('formats the time %s as %s', (time, text) => {
  expect(formatAge(time, Date.parse('2030-01-01T00:00:00Z'))).toBe(text)
})
