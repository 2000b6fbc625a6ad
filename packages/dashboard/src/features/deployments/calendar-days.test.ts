import { expect, test } from 'vitest'
import { dayInZone, dayStart, shiftPeriod, visibleDays } from './calendar-days.ts'

test('shows a month in full weeks from Monday', () => {
  const days = visibleDays('2030-02-14', 'month')
  expect([days[0], days.at(-1), days.length]).toEqual(['2030-01-28', '2030-03-03', 35])
  expect(visibleDays('2027-02-01', 'month')).toHaveLength(28)
  expect(visibleDays('2030-12-31', 'month').at(-1)).toBe('2031-01-05')
})

test('shows the week of a day', () => {
  expect(visibleDays('2030-03-03', 'week')).toEqual([
    '2030-02-25',
    '2030-02-26',
    '2030-02-27',
    '2030-02-28',
    '2030-03-01',
    '2030-03-02',
    '2030-03-03',
  ])
})

test('moves by months and weeks', () => {
  expect(shiftPeriod('2030-01-31', 'month', 1)).toBe('2030-02-01')
  expect(shiftPeriod('2030-01-31', 'month', -1)).toBe('2029-12-01')
  expect(shiftPeriod('2030-01-31', 'week', 1)).toBe('2030-02-07')
})

test('assigns times to days of the zone', () => {
  const at = Date.parse('2030-01-31T23:30:00Z')
  expect(dayInZone(at, 'UTC')).toBe('2030-01-31')
  expect(dayInZone(at, 'Europe/Berlin')).toBe('2030-02-01')
  expect(new Date(dayStart('2030-07-01', 'Europe/Berlin')).toISOString()).toBe('2030-06-30T22:00:00.000Z')
})
