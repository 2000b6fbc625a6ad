import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatTime, normaliseTime, parseTime, systemClock, toMicros } from './time.ts'

describe('reading times', () => {
  test.each([
    ['2031-02-01T09:30:00Z', '2031-02-01T09:30:00.000000Z'],
    ['2031-02-01T09:30:00.123456Z', '2031-02-01T09:30:00.123456Z'],
    ['2031-02-01 09:30:00.12+00:00', '2031-02-01T09:30:00.120000Z'],
    ['2028-02-29T23:59:59Z', '2028-02-29T23:59:59.000000Z'],
    ['2031-02-01 09:30:00.5+00:00', '2031-02-01T09:30:00.500000Z'],
    ['2031-02-01T09:30:00+02:00', '2031-02-01T07:30:00.000000Z'],
    ['2031-02-01T09:30:00-0530', '2031-02-01T15:00:00.000000Z'],
    ['2031-02-01T09:30', '2031-02-01T09:30:00.000000Z'],
    ['2031-02-01', '2031-02-01T00:00:00.000000Z'],
    ['1731628800', '2024-11-15T00:00:00.000000Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
  ])('%s', (text, wanted) => {
    expect(formatTime(parseTime(text) as number)).toBe(wanted)
    expect(normaliseTime(text)).toBe(wanted)
  })

  test.each(['tomorrow', '2031-02-30', '2031-13-01', '2031-02-01T24:00:00Z', '2031-02-01T09:60:00Z', '', '1e400'])('%s is no time', (text) => {
    expect(parseTime(text)).toBeUndefined()
    expect(normaliseTime(text)).toBeUndefined()
  })

  test('what is written is read as the same time', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9_000_000_000_000_000, max: 9_000_000_000_000_000 }), (time) => {
        expect(toMicros(formatTime(time))).toBe(time)
      }),
    )
  })
})

test('a time far from now keeps its text, and counts as the end of what we can count', () => {
  expect(normaliseTime('9999-12-31T23:59:59.999999+00:00')).toBe('9999-12-31T23:59:59.999999Z')
  expect(normaliseTime('0001-01-01T00:00:00Z')).toBe('0001-01-01T00:00:00.000000Z')
  expect(Number.isSafeInteger(toMicros('9999-12-31T23:59:59Z'))).toBe(true)
  expect(toMicros('9999-12-31T23:59:59Z')).toBeGreaterThan(toMicros('2200-01-01T00:00:00Z'))
})

test('the clock never stands still or goes back', () => {
  const clock = systemClock()
  const times = Array.from({ length: 1000 }, () => clock.now())
  expect(times.every((time, index) => index === 0 || time > (times[index - 1] as number))).toBe(true)
})
