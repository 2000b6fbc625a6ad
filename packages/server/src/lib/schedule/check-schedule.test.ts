import { describe, expect, test } from 'vitest'
import { toMicros } from '../time.ts'
import { checkSchedule, completeSchedule, type ScheduleInput } from './check-schedule.ts'

describe('checkSchedule', () => {
  test.each<ScheduleInput>([
    { interval: 90.5, anchor_date: '2020-02-29T12:00:00+02:00' },
    { interval: 60 },
    { interval: 0.000001, timezone: '' },
    { interval: 86_400, anchor_date: '2020-01-01T00:00:00', timezone: 'America/New_York' },
    { cron: '*/15 8-18 * * MON-FRI' },
    { cron: '@daily', timezone: 'Asia/Tokyo' },
    { cron: '@ANNUALLY' },
    { cron: '0 0 1 1,7 *', timezone: null },
    { cron: '30 0 12 * * *' },
    { cron: '0 0 * * 7', timezone: 'US/Eastern' },
    { cron: '0 0 ? * ?' },
    { cron: '0 0 l,15 * *', timezone: 'Asia/Kolkata' },
    { cron: '0 0 * * mon-wed#2', timezone: 'Asia/Calcutta' },
    { cron: '0 0 30 2 *', timezone: 'Etc/GMT+5' },
    { rrule: 'FREQ=DAILY;BYHOUR=9' },
    { rrule: 'DTSTART:20310101T090000\nRRULE:FREQ=MONTHLY;BYMONTHDAY=1', timezone: 'Europe/London' },
    { rrule: 'DTSTART:20310101T090000Z\nRRULE:FREQ=WEEKLY;BYDAY=MO,TH;UNTIL=20310201T000000Z' },
    { rrule: 'FREQ=MINUTELY;INTERVAL=5;COUNT=10' },
    { rrule: 'FREQ=DAILY;UNTIL=20310101T000000Z' },
    { rrule: 'RRULE:FREQ=YEARLY;BYMONTH=13', timezone: null },
    { rrule: 'RDATE;VALUE=DATE-TIME:20310101T090000Z' },
    { rrule: 'DTSTART;VALUE=DATE:20310101 EXDATE;TZID=Europe/Paris:20310102T000000 RRULE:FREQ=DAILY' },
  ])('accepts %j', (schedule) => {
    expect(checkSchedule(schedule)).toBeUndefined()
  })
})

describe('checkSchedule', () => {
  test.each<[ScheduleInput, RegExp]>([
    [{ interval: 0 }, /positive/],
    [{ interval: -60 }, /positive/],
    [{ interval: 0.0000001 }, /positive/],
    [{ interval: Number.NaN }, /positive/],
    [{ interval: 1e20 }, /longer than/],
    [{ interval: 60, anchor_date: 'yesterday' }, /anchor date/],
    [{ interval: 60, timezone: 'Mars/Olympus' }, /"Mars\/Olympus" is not a time zone/],
    [{ interval: 60, timezone: 'america/new_york' }, /not a time zone/],
    [{ cron: '0 0 * * *', timezone: '+05:00' }, /not a time zone/],
    [{ cron: '0 0 * * *', timezone: 'ACT' }, /not a time zone/],
    [{ cron: '61 * * * *' }, /minute 61 is out of range \(0 to 59\)/],
    [{ cron: '0 0 0 * *' }, /day of the month 0/],
    [{ cron: '0 0 * * 7 0' }, /weekday 7/],
    [{ cron: '* * * *' }, /needs 5 fields/],
    [{ cron: '* * * * * * * *' }, /needs 5 fields/],
    [{ cron: '' }, /needs 5 fields/],
    [{ cron: '@reboot' }, /needs 5 fields/],
    [{ cron: 'H * * * *' }, /random \(R\) and hashed \(H\)/],
    [{ cron: '0 R(0-3) * * *' }, /random \(R\) and hashed \(H\)/],
    [{ cron: 'r/5 * * * *' }, /random \(R\) and hashed \(H\)/],
    [{ cron: '*/0 * * * *' }, /step of "\*\/0" is zero/],
    [{ cron: '? * * * *' }, /\? stands only alone/],
    [{ cron: '* * 1,? * *' }, /\? stands only alone/],
    [{ cron: '1-2-3 * * * *' }, /"1-2-3" is not a minute/],
    [{ cron: '* * * foo *' }, /"foo" is not a month/],
    [{ rrule: 'DTSTART:20300101T000000\nRRULE:FREQ=DAILY;UNTIL=2031-01-01T09:30:00' }, /second colon/],
    [{ cron: '*-5 * * * *' }, /not a range/],
    [{ cron: '* * * * 1#6' }, /no weekday number 6/],
    [{ cron: '* * * * 1#2,3' }, /cannot be mixed/],
    [{ cron: '5, * * * *' }, /is not a minute/],
    [{ rrule: 'FREQ=NEVER' }, /FREQ must be one of/],
    [{ rrule: 'every day' }, /"EVERY" is not of the form NAME=VALUE/],
    [{ rrule: '' }, /no RRULE/],
    [{ rrule: 'DTSTART:20310101T000000' }, /no RRULE/],
    [{ rrule: 'RRULE:INTERVAL=2' }, /FREQ is missing/],
    [{ rrule: 'FREQ=DAILY;' }, /NAME=VALUE/],
    [{ rrule: 'FREQ=DAILY;BYMOON=1' }, /"BYMOON" is not a part/],
    [{ rrule: 'FREQ=DAILY;INTERVAL=0' }, /INTERVAL must be at least 1/],
    [{ rrule: 'FREQ=DAILY;COUNT=many' }, /COUNT must be an integer/],
    [{ rrule: 'FREQ=DAILY;BYHOUR=24' }, /BYHOUR must be 0 to 23/],
    [{ rrule: 'FREQ=DAILY;BYMONTHDAY=0' }, /BYMONTHDAY must be/],
    [{ rrule: 'FREQ=MONTHLY;BYDAY=0MO' }, /numbered from 1/],
    [{ rrule: 'FREQ=MONTHLY;BYDAY=XX' }, /"XX" is not a weekday/],
    [{ rrule: 'FREQ=MONTHLY;BYSETPOS=367' }, /BYSETPOS must be/],
    [{ rrule: 'FREQ=DAILY;WKST=1' }, /WKST must be/],
    [{ rrule: 'FREQ=DAILY;UNTIL=tomorrow' }, /UNTIL is not a date/],
    [{ rrule: 'FREQ=HOURLY;INTERVAL=2;BYHOUR=1,3' }, /never comes by any BYHOUR/],
    [{ rrule: 'DTSTART:20310230T000000 RRULE:FREQ=DAILY' }, /"20310230T000000", which is not a date/],
    [{ rrule: 'DTSTART:20310101T000000,20310102T000000 RRULE:FREQ=DAILY' }, /DTSTART must be one date/],
    [{ rrule: 'DTSTART:20310101T000000 RRULE:FREQ=DAILY;UNTIL=20310201T000000Z' }, /UNTIL must be in UTC when/],
    [{ rrule: 'DTSTART;TZID=Europe/Paris:20310101T000000Z RRULE:FREQ=DAILY' }, /two time zones/],
    [{ rrule: 'DTEND:20310101T000000 RRULE:FREQ=DAILY' }, /"DTEND" is none of/],
    [{ rrule: `RDATE:${'20310101T090000Z,'.repeat(500)}20310101T090000Z` }, /longer than 6500 characters/],
    [{ rrule: `FREQ=DAILY;BYHOUR=${'9,'.repeat(3230)}9` }, /longer than 6500 characters with its start/],
    [{ rrule: 'FREQ=DAILY', timezone: 'Mars/Olympus' }, /not a time zone/],
  ])('rejects %j', (schedule, reason) => {
    expect(checkSchedule(schedule)).toMatch(reason)
  })
})

describe('completeSchedule', () => {
  const now = toMicros('2031-05-06T07:08:09.123456Z')

  test.each<[ScheduleInput, object]>([
    [{ interval: 60 }, { interval: 60, anchor_date: '2031-05-06T07:08:09.123456Z', timezone: 'UTC' }],
    [
      { interval: 90.5, anchor_date: '2020-02-29T12:00:00+02:00', timezone: null },
      { interval: 90.5, anchor_date: '2020-02-29T12:00:00+02:00', timezone: 'UTC' },
    ],
    [{ cron: '0 9 * * *' }, { cron: '0 9 * * *', timezone: null, day_or: true }],
    [
      { cron: '@daily', timezone: 'Asia/Tokyo', day_or: false },
      { cron: '@daily', timezone: 'Asia/Tokyo', day_or: false },
    ],
    [{ rrule: 'FREQ=DAILY;BYHOUR=9' }, { rrule: 'DTSTART:20200101T000000\nFREQ=DAILY;BYHOUR=9', timezone: 'UTC' }],
    [{ rrule: 'dtstart:20310101\nfreq=daily' }, { rrule: 'dtstart:20310101\nfreq=daily', timezone: 'UTC' }],
    [{ rrule: 'FREQ=DAILY;UNTIL=20310101T000000Z' }, { rrule: 'FREQ=DAILY;UNTIL=20310101T000000Z', timezone: 'UTC' }],
  ])('completes %j', (sent, kept) => {
    expect(completeSchedule(sent, now)).toEqual(kept)
    expect(checkSchedule(completeSchedule(sent, now))).toBeUndefined()
  })
})
