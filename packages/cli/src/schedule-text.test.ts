import { expect, test } from 'vitest'
import { scheduleText } from './schedule-text.ts'

test.each([
  [{ cron: '0 6 * * *' }, '0 6 * * *'],
  [{ cron: '0 6 * * *', timezone: 'UTC' }, '0 6 * * *'],
  [{ cron: '0 6 * * *', timezone: 'Europe/Berlin' }, '0 6 * * * (Europe/Berlin)'],
  [{ interval: 5400 }, 'every 1h30m'],
  [{ interval: 604_800 }, 'every 1w'],
  [{ interval: 90.5 }, 'every 1m30.5s'],
  [{ interval: 0.25 }, 'every 0.25s'],
  [{ rrule: 'DTSTART:20300101T000000\nRRULE:FREQ=DAILY', timezone: 'Asia/Tokyo' }, 'FREQ=DAILY (Asia/Tokyo)'],
])('describes %j', (schedule, text) => {
  expect(scheduleText(schedule)).toBe(text)
})
