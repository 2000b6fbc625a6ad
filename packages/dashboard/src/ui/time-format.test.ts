import { expect, test } from 'vitest'
import { formatDuration, formatRelative, formatTime, toMillis } from './time-format.ts'

test.each([
  [0, '0 s'],
  [0.0042, '0.004 s'],
  [0.42, '0.42 s'],
  [8.64, '8.6 s'],
  [59.4, '59 s'],
  [60, '1 m'],
  [125, '2 m 5 s'],
  [3600, '1 h'],
  [3725, '1 h 2 m'],
  [90_000, '1 d 1 h'],
  [-14, '14 s'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})

test.each([
  [-2, 'just now'],
  [-65, '1 m ago'],
  [7300, 'in 2 h'],
  [-200_000, '2 d ago'],
])('%d seconds from now is %s', (seconds, text) => {
  expect(formatRelative(1e12 + seconds * 1000, 1e12)).toBe(text)
})

test('formats times in the chosen zone and clock', () => {
  const at = toMillis('2030-06-01T21:05:09.123456Z')
  expect(formatTime(at, 'second', { zone: 'Asia/Tokyo', hours: '24' })).toBe('06:05:09')
  expect(formatTime(at, 'milli', { zone: 'UTC', hours: '24' })).toContain('21:05:09.123')
  expect(formatTime(at, 'clock', { zone: 'UTC', hours: '12' })).toMatch(/^0?9:05\sPM$/i)
})
