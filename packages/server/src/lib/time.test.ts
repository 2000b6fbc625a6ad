import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dropZeroFraction, formatTime, isRfc3339, normaliseTime, parseTime, sortableTime, systemClock, toMicros } from './time.ts'

describe('parseTime', () => {
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
    ['2031-02-01T09:30:00\u221205:00', '2031-02-01T14:30:00.000000Z'],
    ['2031-02-01T09', '2031-02-01T09:00:00.000000Z'],
    ['2031-02-01T09+02', '2031-02-01T07:00:00.000000Z'],
    ['20310201T093000Z', '2031-02-01T09:30:00.000000Z'],
    ['20310201T0930+0200', '2031-02-01T07:30:00.000000Z'],
    ['20310201 09:30:00', '2031-02-01T09:30:00.000000Z'],
    ['2031/02/01 09:30', '2031-02-01T09:30:00.000000Z'],
    ['2031-02', '2031-02-01T00:00:00.000000Z'],
    ['2031-032', '2031-02-01T00:00:00.000000Z'],
    ['2028366T09', '2028-12-31T09:00:00.000000Z'],
    ['2031-W05-6', '2031-02-01T00:00:00.000000Z'],
    ['2031W056T0930', '2031-02-01T09:30:00.000000Z'],
    ['2026-W53', '2026-12-28T00:00:00.000000Z'],
    ['2026-W01-1', '2025-12-29T00:00:00.000000Z'],
    ['2026-W53-7', '2027-01-03T00:00:00.000000Z'],
    ['20310201', '1970-08-24T01:43:21.000000Z'],
    ['1731628800000', '2024-11-15T00:00:00.000000Z'],
    ['1731628800.3', '2024-11-15T00:00:00.300000Z'],
    ['+.5', '1970-01-01T00:00:00.500000Z'],
    ['-0.5', '1969-12-31T23:59:59.500000Z'],
  ])('reads %s', (text, wanted) => {
    expect(sortableTime(parseTime(text) as number)).toBe(wanted)
    expect(formatTime(parseTime(text) as number)).toBe(wanted.replace('.000000Z', 'Z'))
    expect(normaliseTime(text)).toBe(wanted)
  })

  test.each([
    'tomorrow',
    '2031-02-30',
    '2031-13-01',
    '2031-02-01T24:00:00Z',
    '2031-02-01T09:60:00Z',
    '',
    '1e400',
    '09:30',
    '2031-02-01T09:30:00 Z',
    '2031-02-01T093000Z',
    '20310201T09:30:00Z',
    '2031-W53-1',
    '2031-366',
    '20310230T09Z',
    '2031-02-01T09:30:00+24:00',
    '1000000000000000',
    '0001-01-01T00:00:00+01:00',
  ])('rejects %s', (text) => {
    expect(parseTime(text)).toBeUndefined()
    expect(normaliseTime(text)).toBeUndefined()
  })

  test('reads a written time as the same time', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9_000_000_000_000_000, max: 9_000_000_000_000_000 }), (time) => {
        expect(toMicros(formatTime(time))).toBe(time)
        expect(toMicros(sortableTime(time))).toBe(time)
        expect(dropZeroFraction(sortableTime(time))).toBe(formatTime(time))
      }),
    )
  })
})

test.each(['2024-01-01T00:00:00Z', '2024-01-01T02:00:00+02:00', '2024-01-01T00:00:00.000000Z', '2024-01-01T00:00:00.123456789-05:30'])(
  'keeps %s as it is',
  (text) => expect(isRfc3339(text)).toBe(true),
)

test.each([
  '2024-01-01',
  '2024-01-01T00:00:00',
  '2024-01-01 00:00:00Z',
  '1704067200',
  '2024-01-01T00:00:00z',
  '2024-01-01T00:00:00.1234567890Z',
  '2024-01-01T00:00Z',
])('does not keep %s', (text) => expect(isRfc3339(text)).toBe(false))

test('keeps the text of a distant time and clamps its value', () => {
  expect(normaliseTime('9999-12-31T23:59:59.999999+00:00')).toBe('9999-12-31T23:59:59.999999Z')
  expect(normaliseTime('0001-01-01T00:00:00Z')).toBe('0001-01-01T00:00:00.000000Z')
  expect(normaliseTime('253402300799999')).toBe('9999-12-31T23:59:59.999000Z')
  expect(Number.isSafeInteger(toMicros('9999-12-31T23:59:59Z'))).toBe(true)
  expect(toMicros('9999-12-31T23:59:59Z')).toBeGreaterThan(toMicros('2200-01-01T00:00:00Z'))
})

test('never repeats or goes back', () => {
  const clock = systemClock()
  const times = Array.from({ length: 1000 }, () => clock.now())
  expect(times.every((time, index) => index === 0 || time > (times[index - 1] as number))).toBe(true)
})
