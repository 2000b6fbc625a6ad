import { describe, expect, test } from 'vitest'
import { formatTime, toMicros } from '../time.ts'
import { type Schedule, TIMES_MAX, upcomingTimes } from './schedule.ts'

const NEW_YORK = 'America/New_York'

interface Window {
  after: string
  until?: string
  limit?: number
}

/** `03-08T14:00` and so on, in UTC. */
function times(schedule: Schedule, { after, until, limit = 100 }: Window): string[] {
  const found = upcomingTimes(schedule, { after: toMicros(after), until: until === undefined ? undefined : toMicros(until), limit })
  return found.map((time) =>
    formatTime(time)
      .replace(/^\d{4}-/, '')
      .replace(/:00Z$|(:\d\d)Z$/, '$1'),
  )
}

describe('upcomingTimes', () => {
  const hourly: Schedule = { cron: '0 * * * *' }

  test('includes both ends of the range', () => {
    const schedules: Schedule[] = [hourly, { interval: 3600, anchor_date: '2030-01-01T00:00:00Z' }, { rrule: 'FREQ=HOURLY' }]
    for (const schedule of schedules) {
      expect(times(schedule, { after: '2031-01-01T05:00:00Z', until: '2031-01-01T07:00:00Z' })).toEqual(['01-01T05:00', '01-01T06:00', '01-01T07:00'])
      expect(times(schedule, { after: '2031-01-01T05:00:00.000001Z', until: '2031-01-01T06:59:59.999999Z' })).toEqual(['01-01T06:00'])
      expect(times(schedule, { after: '2031-01-01T07:00:00Z', until: '2031-01-01T05:00:00Z' })).toEqual([])
    }
  })

  test('applies the limit and the maximum', () => {
    const after = toMicros('2031-01-01T00:00:00Z')
    expect(upcomingTimes(hourly, { after, limit: 0 })).toEqual([])
    expect(upcomingTimes(hourly, { after, limit: 3 })).toHaveLength(3)
    expect(upcomingTimes(hourly, { after, limit: 1e9 })).toHaveLength(TIMES_MAX)
  })

  test('ends in 2255, where microseconds are no longer exact', () => {
    const found = upcomingTimes({ cron: '0 0 1 1 *' }, { after: toMicros('2250-06-01T00:00:00Z'), limit: 100 })
    expect(found.map((time) => formatTime(time).slice(0, 4))).toEqual(['2251', '2252', '2253', '2254', '2255'])
  })
})

describe('daylight saving time', () => {
  test('keeps the local time of a daily interval', () => {
    const schedule = { interval: 86_400, anchor_date: '2031-03-01T14:00:00Z', timezone: NEW_YORK }
    expect(times(schedule, { after: '2031-03-08T00:00:00Z', limit: 3 })).toEqual(['03-08T14:00', '03-09T13:00', '03-10T13:00'])
    // The same from a start after the change.
    expect(times(schedule, { after: '2031-03-10T00:00:00Z', limit: 2 })).toEqual(['03-10T13:00', '03-11T13:00'])
    expect(times(schedule, { after: '2031-11-01T00:00:00Z', limit: 3 })).toEqual(['11-01T13:00', '11-02T14:00', '11-03T14:00'])
  })

  test('counts an hourly interval in elapsed time', () => {
    const schedule = { interval: 3600, anchor_date: '2031-03-01T00:00:00Z', timezone: NEW_YORK }
    expect(times(schedule, { after: '2031-03-09T05:00:00Z', limit: 4 })).toEqual(['03-09T05:00', '03-09T06:00', '03-09T07:00', '03-09T08:00'])
  })

  test('accepts an anchor in the future', () => {
    expect(times({ interval: 7200, anchor_date: '2031-06-15T01:30:00Z' }, { after: '2031-06-01T00:00:00Z', limit: 2 })).toEqual([
      '06-01T01:30',
      '06-01T03:30',
    ])
  })

  test('delays a skipped cron time by the length of the gap', () => {
    expect(times({ cron: '30 2 * * *', timezone: NEW_YORK }, { after: '2031-03-08T05:00:00Z', limit: 3 })).toEqual([
      '03-08T07:30',
      '03-09T07:30',
      '03-10T06:30',
    ])
  })

  test('fires once if a skipped time coincides with another', () => {
    expect(times({ cron: '30 2,3 * * *', timezone: NEW_YORK }, { after: '2031-03-09T05:00:00Z', limit: 3 })).toEqual([
      '03-09T07:30',
      '03-10T06:30',
      '03-10T07:30',
    ])
  })

  test('fires a two-hourly cron twelve times a day', () => {
    const schedule = { cron: '0 */2 * * *', timezone: NEW_YORK }
    expect(times(schedule, { after: '2031-03-09T05:00:00Z', until: '2031-03-10T03:59:59Z' })).toHaveLength(12)
    expect(times(schedule, { after: '2031-11-02T04:00:00Z', until: '2031-11-03T04:59:59Z' })).toHaveLength(12)
  })

  test('repeats an hourly cron in the repeated hour, but not a fixed one', () => {
    const night = { after: '2031-11-02T04:00:00Z', until: '2031-11-02T08:00:00Z' }
    expect(times({ cron: '0 * * * *', timezone: NEW_YORK }, night)).toEqual([
      '11-02T04:00',
      '11-02T05:00',
      '11-02T06:00',
      '11-02T07:00',
      '11-02T08:00',
    ])
    expect(times({ cron: '0 0-3 * * *', timezone: NEW_YORK }, night)).toEqual(['11-02T04:00', '11-02T05:00', '11-02T07:00', '11-02T08:00'])
    expect(times({ cron: '*/30 * * * *', timezone: NEW_YORK }, { after: '2031-11-02T05:30:00Z', limit: 4 })).toEqual([
      '11-02T05:30',
      '11-02T06:00',
      '11-02T06:30',
      '11-02T07:00',
    ])
    // From a start within the repeated hour.
    expect(times({ cron: '15 * * * *', timezone: NEW_YORK }, { after: '2031-11-02T06:10:00Z', limit: 2 })).toEqual(['11-02T06:15', '11-02T07:15'])
    expect(times({ cron: '15 1 * * *', timezone: NEW_YORK }, { after: '2031-11-02T06:10:00Z', limit: 1 })).toEqual(['11-03T06:15'])
  })

  test('handles a shift of half an hour: Lord Howe', () => {
    const zone = 'Australia/Lord_Howe'
    // 02:00 becomes 02:30 in October, and 02:00 becomes 01:30 in April.
    expect(times({ cron: '15 * * * *', timezone: zone }, { after: '2031-10-04T14:00:00Z', limit: 3 })).toEqual([
      '10-04T14:45',
      '10-04T15:45',
      '10-04T16:15',
    ])
    expect(times({ cron: '45 * * * *', timezone: zone }, { after: '2031-04-05T14:00:00Z', limit: 3 })).toEqual([
      '04-05T14:45',
      '04-05T15:15',
      '04-05T16:15',
    ])
  })

  test('handles a skipped day: Samoa, December 30, 2011', () => {
    const days = { after: '2011-12-28T12:00:00Z', until: '2012-01-01T12:00:00Z' }
    const daily = ['12-28T19:00', '12-29T19:00', '12-30T19:00', '12-31T19:00']
    expect(times({ cron: '0 9 * * *', timezone: 'Pacific/Apia' }, days)).toEqual(daily)
    expect(times({ interval: 86_400, anchor_date: '2011-12-01T19:00:00Z', timezone: 'Pacific/Apia' }, days)).toEqual(daily)
    expect(times({ rrule: 'DTSTART:20110101T090000 RRULE:FREQ=DAILY', timezone: 'Pacific/Apia' }, days)).toEqual(daily)
  })

  test('keeps the local time of rules and fires hourly rules every real hour', () => {
    const daily = { rrule: 'DTSTART:20310301T090000\nRRULE:FREQ=DAILY', timezone: NEW_YORK }
    expect(times(daily, { after: '2031-03-08T00:00:00Z', limit: 3 })).toEqual(['03-08T14:00', '03-09T13:00', '03-10T13:00'])
    const skipped = { rrule: 'DTSTART:20310301T023000\nRRULE:FREQ=DAILY', timezone: NEW_YORK }
    expect(times(skipped, { after: '2031-03-08T05:00:00Z', limit: 3 })).toEqual(['03-08T07:30', '03-09T07:30', '03-10T06:30'])
    const night = { after: '2031-11-02T04:00:00Z', until: '2031-11-02T08:00:00Z' }
    expect(times({ rrule: 'FREQ=HOURLY', timezone: NEW_YORK }, night)).toEqual([
      '11-02T04:00',
      '11-02T05:00',
      '11-02T06:00',
      '11-02T07:00',
      '11-02T08:00',
    ])
    expect(times({ rrule: 'FREQ=HOURLY;INTERVAL=2', timezone: NEW_YORK }, night)).toEqual(['11-02T04:00', '11-02T07:00'])
    expect(times({ rrule: 'FREQ=HOURLY;BYHOUR=1,2', timezone: NEW_YORK }, night)).toEqual(['11-02T05:00', '11-02T07:00'])
  })
})

describe('cron', () => {
  test.each<[string, boolean, string[]]>([
    ['0 12 13 * 5', true, ['06-06T12:00', '06-13T12:00', '06-20T12:00']],
    ['0 12 13 * 5', false, ['06-13T12:00', '02-13T12:00', '08-13T12:00']],
    ['0 0 1-31 * 5', true, ['06-01T00:00', '06-02T00:00', '06-03T00:00']],
    ['0 0 * * 5#2', true, ['06-13T00:00', '07-11T00:00', '08-08T00:00']],
    ['0 0 * * l5', true, ['06-27T00:00', '07-25T00:00', '08-29T00:00']],
    ['0 0 l * *', true, ['06-30T00:00', '07-31T00:00', '08-31T00:00']],
    ['30 0 12 * * *', true, ['06-12T00:30', '06-12T00:30:01', '06-12T00:30:02']],
    ['0 0 1 1 * 0 2033', true, ['01-01T00:00']],
    ['@weekly', true, ['06-01T00:00', '06-08T00:00', '06-15T00:00']],
    ['59/2 0 1 * *', true, ['06-01T00:00', '06-01T00:02', '06-01T00:04']],
    ['0 22-1 1 * *', true, ['06-01T00:00', '06-01T01:00', '06-01T22:00']],
    ['0 0 ? * FRI-MON', true, ['06-01T00:00', '06-02T00:00', '06-06T00:00']],
    ['0 0 30 2 *', true, []],
  ])('applies %s with day_or %s', (cron, day_or, expected) => {
    expect(times({ cron, day_or }, { after: '2031-06-01T00:00:00Z', limit: 3 })).toEqual(expected)
  })
})

describe('intervals', () => {
  test('can be a microsecond since 1970', () => {
    const after = toMicros('2031-01-01T00:00:00.5Z')
    expect(upcomingTimes({ interval: 0.000001, anchor_date: '1970-01-01T00:00:00Z' }, { after, limit: 3 })).toEqual([after, after + 1, after + 2])
  })

  test('keep the fraction of a distant anchor', () => {
    const window = { after: '2031-01-01T00:00:00Z', limit: 2 }
    expect(times({ interval: 86_400, anchor_date: '0001-01-01T09:00:00.25Z' }, window)).toEqual(['01-01T09:00:00.250000Z', '01-02T09:00:00.250000Z'])
    expect(times({ interval: 40_000.5, anchor_date: '2031-01-01T00:00:01Z' }, window)).toEqual(['01-01T00:00:01', '01-01T11:06:41.500000Z'])
  })

  test('include an anchor in a repeated hour', () => {
    const schedule = { interval: 86_400, anchor_date: '2031-11-02T06:30:00Z', timezone: NEW_YORK }
    expect(times(schedule, { after: '2031-11-01T00:00:00Z', limit: 3 })).toEqual(['11-01T05:30', '11-02T06:30', '11-03T06:30'])
  })

  test('alternate between two local times for a day and a half', () => {
    const schedule = { interval: 129_600, anchor_date: '2031-03-07T14:00:00Z', timezone: NEW_YORK }
    expect(times(schedule, { after: '2031-03-07T14:00:00Z', limit: 4 })).toEqual(['03-07T14:00', '03-09T02:00', '03-10T13:00', '03-12T01:00'])
  })
})
