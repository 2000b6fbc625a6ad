import { describe, expect, test } from 'vitest'
import { formatTime, toMicros } from '../time.ts'
import { upcomingTimes } from './schedule.ts'

function times(
  rrule: string,
  { after = '2030-01-01T00:00:00Z', until = undefined as string | undefined, limit = 20, timezone = 'UTC' } = {},
): string[] {
  const found = upcomingTimes({ rrule, timezone }, { after: toMicros(after), until: until === undefined ? undefined : toMicros(until), limit })
  return found.map((time) => formatTime(time).replace(/:00Z$/, ''))
}

test('starts a rule without DTSTART in 2020', () => {
  expect(times('FREQ=MONTHLY;BYMONTHDAY=-1', { after: '2031-01-15T00:00:00Z', limit: 3 })).toEqual([
    '2031-01-31T00:00',
    '2031-02-28T00:00',
    '2031-03-31T00:00',
  ])
  expect(times('FREQ=WEEKLY', { after: '2019-01-01T00:00:00Z', limit: 2 })).toEqual(['2020-01-01T00:00', '2020-01-08T00:00'])
})

describe('the end of a rule', () => {
  test('counts COUNT from the start of the rule', () => {
    const rule = 'DTSTART:20310101T000000\nRRULE:FREQ=DAILY;COUNT=4'
    expect(times(rule, { after: '2031-01-03T00:00:00Z' })).toEqual(['2031-01-03T00:00', '2031-01-04T00:00'])
    expect(times('DTSTART:20310101T000000\nRRULE:FREQ=DAILY;COUNT=0')).toEqual([])
  })

  test.each([
    ['FREQ=SECONDLY;INTERVAL=7;BYDAY=MO;COUNT=30000', '2030-01-01T00:00:00Z'],
    ['FREQ=MINUTELY;BYHOUR=9,17;COUNT=200', '2030-01-01T00:00:00Z'],
    ['FREQ=DAILY;BYMONTH=2;COUNT=40', '2030-02-01T00:00:00Z'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;COUNT=31', '2030-01-01T00:00:00Z'],
    ['FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1,1;COUNT=25', '2030-01-01T00:00:00Z'],
    ['FREQ=YEARLY;BYMONTH=1,3;BYMONTHDAY=5,6;BYHOUR=1,2;COUNT=21', '2030-01-01T00:00:00Z'],
  ])('matches counting one by one: %s', (rule, start) => {
    const count = Number(/COUNT=(\d+)/.exec(rule)?.[1])
    const endless = rule.replace(/;COUNT=\d+/, '')
    const text = (parts: string) => `DTSTART:${start.replace(/[-:]|Z/g, '')}\nRRULE:${parts}`
    let after = toMicros(start)
    let last = 0
    for (let left = count; left > 0; ) {
      const found = upcomingTimes({ rrule: text(endless) }, { after, limit: Math.min(left, 1000) })
      left -= found.length
      last = found.at(-1)!
      after = last + 1
    }
    expect(upcomingTimes({ rrule: text(rule) }, { after: last, limit: 5 })).toEqual([last])
  })

  test('includes UNTIL and reads it as local time', () => {
    const rule = 'DTSTART:20310101T090000Z\nRRULE:FREQ=DAILY;UNTIL=20310103T090000Z'
    expect(times(rule, { timezone: 'America/New_York' })).toEqual(['2031-01-01T14:00', '2031-01-02T14:00', '2031-01-03T14:00'])
  })
})

describe('sets', () => {
  test('adds RDATE and removes EXDATE', () => {
    const set = 'DTSTART:20310101T090000\nRRULE:FREQ=DAILY;COUNT=4\nRDATE:20310110T120000,20310102T090000\nEXDATE:20310103T090000'
    expect(times(set)).toEqual(['2031-01-01T09:00', '2031-01-02T09:00', '2031-01-04T09:00', '2031-01-10T12:00'])
  })

  test('adds RRULE and removes EXRULE', () => {
    const set = 'DTSTART:20310101T090000\nRRULE:FREQ=DAILY;COUNT=9\nRRULE:FREQ=DAILY;BYHOUR=12;COUNT=2\nEXRULE:FREQ=WEEKLY;BYDAY=SA,SU'
    expect(times(set)).toEqual([
      ...['2031-01-01T09:00', '2031-01-01T12:00', '2031-01-02T09:00', '2031-01-02T12:00', '2031-01-03T09:00'],
      ...['2031-01-06T09:00', '2031-01-07T09:00', '2031-01-08T09:00', '2031-01-09T09:00'],
    ])
  })

  test('accepts dates without a rule', () => {
    expect(times('RDATE:20310110T120000Z,20310102')).toEqual(['2031-01-02T00:00', '2031-01-10T12:00'])
    expect(times('EXDATE:20310110T120000Z')).toEqual([])
  })

  test('accepts lines separated by blanks and in lower case', () => {
    expect(times('dtstart:20310101T090000 rrule:freq=daily;count=1')).toEqual(['2031-01-01T09:00'])
  })
})

test('ignores the time zone of DTSTART', () => {
  for (const start of [
    'DTSTART:20310101T090000',
    'DTSTART:20310101T090000Z',
    'DTSTART;TZID=Asia/Tokyo:20310101T090000',
    'DTSTART:2031-01-01T09:00:00+02:00',
  ]) {
    expect(times(`${start}\nRRULE:FREQ=YEARLY`, { timezone: 'Europe/Paris', limit: 1 })).toEqual(['2031-01-01T08:00'])
  }
})

describe('parts', () => {
  test.each<[string, string[]]>([
    ['FREQ=MONTHLY;BYDAY=1FR,-1MO', ['2031-01-03', '2031-01-27', '2031-02-07', '2031-02-24']],
    ['FREQ=MONTHLY;BYDAY=MO(+1),WE(-1)', ['2031-01-06', '2031-01-29', '2031-02-03', '2031-02-26']],
    ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', ['2031-01-31', '2031-02-28', '2031-03-31', '2031-04-30']],
    ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', ['2031-06-13', '2032-02-13', '2032-08-13', '2033-05-13']],
    ['FREQ=MONTHLY', ['2031-01-01', '2031-02-01', '2031-03-01', '2031-04-01']],
    ['FREQ=YEARLY;BYDAY=20MO', ['2031-05-19', '2032-05-17', '2033-05-16', '2034-05-15']],
    ['FREQ=YEARLY;BYMONTH=11;BYDAY=4TH', ['2031-11-27', '2032-11-25', '2033-11-24', '2034-11-23']],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO', ['2031-12-29', '2033-01-03', '2034-01-02', '2035-01-01']],
    ['FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU', ['2033-01-02', '2038-01-03', '2044-01-03', '2049-01-03']],
    ['FREQ=YEARLY;BYYEARDAY=-1,60', ['2031-03-01', '2031-12-31', '2032-02-29', '2032-12-31']],
    ['FREQ=YEARLY;BYEASTER=-2', ['2031-04-11', '2032-03-26', '2033-04-15', '2034-04-07']],
    ['FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29', ['2032-02-29', '2036-02-29', '2040-02-29', '2044-02-29']],
    ['FREQ=DAILY;INTERVAL=10', ['2031-01-01', '2031-01-11', '2031-01-21', '2031-01-31']],
    ['FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,WE', ['2031-01-01', '2031-01-12', '2031-01-15', '2031-01-26']],
    ['FREQ=HOURLY;INTERVAL=36;BYHOUR=12', ['2031-01-02', '2031-01-05', '2031-01-08', '2031-01-11']],
    ['FREQ=SECONDLY;INTERVAL=7;BYHOUR=0;BYMINUTE=0;BYSECOND=0', ['2031-01-01', '2031-01-08', '2031-01-15', '2031-01-22']],
  ])('applies %s', (rule, expected) => {
    // A rule with INTERVAL=4 needs to start in a leap year.
    const start = rule.includes('INTERVAL=4') ? '20320101T000000' : '20310101T000000'
    expect(times(`DTSTART:${start}\nRRULE:${rule}`, { limit: 4 }).map((time) => time.slice(0, 10))).toEqual(expected)
  })

  test('begins the first week with the rule for BYSETPOS', () => {
    const rule = 'DTSTART:20310103T000000\nRRULE:FREQ=WEEKLY;BYDAY=MO,FR,SA;BYSETPOS=1'
    expect(times(rule, { limit: 3 })).toEqual(['2031-01-03T00:00', '2031-01-06T00:00', '2031-01-13T00:00'])
  })

  test('combines weekdays with and without numbers by union', () => {
    expect(times('DTSTART:20310101T000000\nRRULE:FREQ=MONTHLY;BYDAY=1TU,SU', { limit: 4 })).toEqual([
      ...['2031-01-05T00:00', '2031-01-07T00:00', '2031-01-12T00:00', '2031-01-19T00:00'],
    ])
  })
})
