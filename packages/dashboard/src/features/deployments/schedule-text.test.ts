import { expect, test } from 'vitest'
import { scheduleText } from './schedule-text.ts'

test('schedules in a few words', () => {
  expect(scheduleText({ cron: '0 9 * * 1', timezone: 'Europe/Berlin' })).toBe('0 9 * * 1 (Europe/Berlin)')
  expect(scheduleText({ interval: 900 })).toBe('every 15 m')
  expect(scheduleText({ rrule: 'FREQ=DAILY' })).toBe('FREQ=DAILY')
})
