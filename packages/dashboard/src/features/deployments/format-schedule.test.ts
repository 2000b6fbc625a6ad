import { expect, test } from 'vitest'
import { formatSchedule } from './format-schedule.ts'

test('formats each type of schedule', () => {
  expect(formatSchedule({ cron: '0 9 * * 1', timezone: 'Europe/Berlin', day_or: true })).toBe('0 9 * * 1 (Europe/Berlin)')
  expect(formatSchedule({ interval: 5400, anchor_date: '2030-01-01T00:00:00Z', timezone: 'UTC' })).toBe('every 1 h 30 m')
  expect(formatSchedule({ rrule: 'DTSTART:20300101T000000\nRRULE:FREQ=DAILY', timezone: 'UTC' })).toBe('FREQ=DAILY')
  expect(formatSchedule({ rrule: `FREQ=DAILY;BYHOUR=${'1,'.repeat(40)}2`, timezone: 'UTC' })).toHaveLength(60)
})
