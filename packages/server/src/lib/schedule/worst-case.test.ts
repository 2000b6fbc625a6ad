import { beforeAll, describe, expect, test } from 'vitest'
import { toMicros } from '../time.ts'
import { checkSchedule } from './check-schedule.ts'
import { type Schedule, upcomingTimes } from './schedule.ts'

/** The CPU time limit for one result of a hostile schedule. */
const CPU_MICROS_MAX = 100_000

const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, index) => index + from).join(',')
const everySecond = `BYHOUR=${upTo(24)};BYMINUTE=${upTo(60)};BYSECOND=${upTo(60)}`
const everyPosition = `BYSETPOS=${upTo(366, 1)},${upTo(366, -366)}`
const lines = (line: string) => Array.from({ length: Math.floor(6400 / (line.length + 1)) }, () => line).join('\n')

const rules: Record<string, [rrule: string, found: number]> = {
  'every second for a thousand years': ['DTSTART:10310101T000000 RRULE:FREQ=SECONDLY;UNTIL=20310201T000000', 1000],
  'every second of a thousand years, long over': ['DTSTART:10310101T000000 RRULE:FREQ=SECONDLY;UNTIL=20301231T000000', 0],
  'every minute since 1970': ['DTSTART:19700101T000000 RRULE:FREQ=MINUTELY', 1000],
  'February 30': ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 0],
  'every second of February 30': ['FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30', 0],
  'every month on the 31st of February': ['FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=31', 0],
  'every day in week 54': ['FREQ=DAILY;BYWEEKNO=54', 0],
  'a billion seconds, over in 2001': ['DTSTART:19700101T000000 RRULE:FREQ=SECONDLY;COUNT=1000000000', 0],
  'a billion minutes': ['DTSTART:19700101T000000 RRULE:FREQ=MINUTELY;COUNT=1000000000', 1000],
  'a hundred million odd seconds': ['DTSTART:19700101T000000 RRULE:FREQ=SECONDLY;INTERVAL=7;BYDAY=MO;COUNT=100000000', 1000],
  'a billion since the year 1': [`DTSTART:00010101T000000 RRULE:FREQ=SECONDLY;INTERVAL=7;BYSECOND=${upTo(30)};COUNT=1000000000`, 0],
  'every position of every second': [`FREQ=YEARLY;${everySecond};${everyPosition}`, 1000],
  'every position of no second': [`FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=31;${everySecond};${everyPosition}`, 0],
  'positions that a week never has': [`FREQ=WEEKLY;BYSETPOS=${upTo(360, 7)}`, 0],
  'one second a week': ['FREQ=SECONDLY;INTERVAL=7;BYHOUR=9;BYMINUTE=0;BYSECOND=0', 1000],
  'one second in two hundred years': ['FREQ=SECONDLY;INTERVAL=86399;BYHOUR=9;BYMINUTE=0;BYSECOND=0', 1],
  'steps longer than time': ['FREQ=SECONDLY;INTERVAL=999999999999999999', 0],
  'every second, except every second': ['RRULE:FREQ=SECONDLY EXRULE:FREQ=SECONDLY', 0],
  'every second, except all but one': ['RRULE:FREQ=SECONDLY EXRULE:FREQ=MINUTELY;BYSECOND=1,3,5,7,9', 1000],
}

/** So many lines that the search gives up. The result does not matter. */
const manyLines: Record<string, string> = {
  'daily rules': lines('RRULE:FREQ=DAILY;BYDAY=MO;COUNT=999'),
  'secondly rules': lines('RRULE:FREQ=SECONDLY;BYSECOND=1;COUNT=9999999'),
  'crooked rules': lines('RRULE:FREQ=SECONDLY;INTERVAL=7;BYSECOND=1;COUNT=99999'),
  exceptions: `RRULE:FREQ=SECONDLY\n${lines('EXRULE:FREQ=MINUTELY')}`,
}

const others: Record<string, [Schedule, number]> = {
  'cron on February 30': [{ cron: '0 0 30 2 *' }, 0],
  'cron every second': [{ cron: '* * * * * *' }, 1000],
  'cron on a leap Monday': [{ cron: '0 0 29 2 1', day_or: false }, 8],
  'cron of 1970': [{ cron: '0 0 1 1 * 0 1970' }, 0],
  'an interval of a microsecond since 1970': [{ interval: 0.000001, anchor_date: '1970-01-01T00:00:00Z' }, 1000],
  'an interval of a second since the year 1': [{ interval: 1, anchor_date: '0001-01-01T00:00:00Z' }, 1000],
  'an interval of a million years': [{ interval: 3e13, anchor_date: '1970-01-01T00:00:00Z' }, 0],
}

const after = toMicros('2031-01-15T00:00:00Z')

/** The number of times found, and the CPU time: the least of some attempts, because a busy host doubles it now and then. */
function measureSchedule(schedule: Schedule): { found: number; micros: number } {
  expect(checkSchedule(schedule)).toBeUndefined()
  let least = measureOnce(schedule)
  for (let attempt = 1; attempt < attemptsMax && least.micros >= CPU_MICROS_MAX; attempt += 1) {
    const again = measureOnce(schedule)
    if (again.micros < least.micros) least = again
  }
  return least
}

const attemptsMax = 4

function measureOnce(schedule: Schedule): { found: number; micros: number } {
  const before = process.threadCpuUsage()
  const found = upcomingTimes(schedule, { after, limit: 1000 }).length
  const { user, system } = process.threadCpuUsage(before)
  return { found, micros: user + system }
}

// The first call is slow, because code is compiled and time zones are loaded.
beforeAll(() => {
  for (const rrule of ['FREQ=DAILY;COUNT=3', 'FREQ=MINUTELY;INTERVAL=7;BYHOUR=9;COUNT=3', 'FREQ=MONTHLY;BYSETPOS=1']) {
    upcomingTimes({ rrule, timezone: 'America/New_York' }, { after, limit: 10 })
  }
})

describe.each(['UTC', 'America/New_York'])('in %s', (timezone) => {
  test.each(Object.entries(rules))('limits the time for %s', (_name, [rrule, expected]) => {
    const { found, micros } = measureSchedule({ rrule, timezone })
    expect(found).toBe(expected)
    expect(micros).toBeLessThan(CPU_MICROS_MAX)
  })

  test.each(Object.entries(manyLines))('limits the time for many %s', (_name, rrule) => {
    expect(measureSchedule({ rrule, timezone }).micros).toBeLessThan(CPU_MICROS_MAX)
  })

  test.each(Object.entries(others))('limits the time for %s', (_name, [schedule, expected]) => {
    const { found, micros } = measureSchedule({ ...schedule, timezone })
    expect(found).toBe(expected)
    expect(micros).toBeLessThan(CPU_MICROS_MAX)
  })
})
