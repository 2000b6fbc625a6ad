import { dayNumber, isCivil, SECONDS_PER_DAY } from './calendar.ts'

export const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'] as const
export type Frequency = (typeof FREQUENCIES)[number]

/** The parts of a rule such as `FREQ=MONTHLY;BYDAY=-1FR`, before defaults from its start apply. */
export interface RRuleParts {
  frequency: Frequency
  interval: number
  count: number | undefined
  until: RRuleDate | undefined
  /** 0 is Monday. */
  weekStart: number
  positions: number[] | undefined
  months: number[] | undefined
  monthDays: number[] | undefined
  yearDays: number[] | undefined
  weekNumbers: number[] | undefined
  easterDays: number[] | undefined
  weekdays: NthWeekday[] | undefined
  hours: number[] | undefined
  minutes: number[] | undefined
  seconds: number[] | undefined
}

/** `FR`, or with `nth` the first (1) or last (-1) Friday of a month or year. */
export interface NthWeekday {
  weekday: number
  nth: number | undefined
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

type MakeError = (why: string) => Error

/** Parses upper-case text. `invalid` creates the error for a reason. */
export function parseRRuleParts(text: string, invalid: MakeError): RRuleParts {
  const values = new Map<string, string>()
  for (const pair of text.split(';')) {
    const [name = '', value, ...more] = pair.split('=')
    if (value === undefined || more.length > 0) throw invalid(`${JSON.stringify(pair)} is not of the form NAME=VALUE`)
    if (!NAMES.has(name)) throw invalid(`${JSON.stringify(name)} is not a part of a rule`)
    values.set(name === 'BYWEEKDAY' ? 'BYDAY' : name, value)
  }
  const frequency = values.get('FREQ') as Frequency | undefined
  if (frequency === undefined) throw invalid('FREQ is missing')
  if (!FREQUENCIES.includes(frequency)) throw invalid(`FREQ must be one of ${FREQUENCIES.join(', ')}`)

  function integer(name: string): number | undefined {
    const value = values.get(name)
    if (value === undefined) return undefined
    if (!/^[+-]?\d+$/.test(value)) throw invalid(`${name} must be an integer`)
    // Clamped to exact doubles. No rule reaches this value.
    return Math.max(-1e15, Math.min(1e15, Number(value)))
  }
  function integers(name: string, allows: (value: number) => boolean = () => true, range = ''): number[] | undefined {
    const list = values.get(name)?.split(',')
    return list?.map((item) => {
      if (!/^[+-]?\d+$/.test(item)) throw invalid(`${name} must be a list of integers`)
      if (!allows(Number(item))) throw invalid(`${name} must be ${range}`)
      return Number(item)
    })
  }

  const interval = integer('INTERVAL') ?? 1
  if (interval < 1) throw invalid('INTERVAL must be at least 1')
  const until = values.has('UNTIL') ? readRRuleDate(values.get('UNTIL')!) : undefined
  if (values.has('UNTIL') && !until) throw invalid('UNTIL is not a date')
  const weekStart = values.has('WKST') ? WEEKDAYS.indexOf(values.get('WKST')!) : 0
  if (weekStart < 0) throw invalid(`WKST must be one of ${WEEKDAYS.join(', ')}`)
  return {
    frequency,
    interval,
    count: integer('COUNT'),
    until,
    weekStart,
    positions: integers('BYSETPOS', (value) => value !== 0 && Math.abs(value) <= 366, '1 to 366 or -366 to -1'),
    months: integers('BYMONTH'),
    monthDays: integers('BYMONTHDAY', (value) => value !== 0, '1 to 31 or -31 to -1'),
    yearDays: integers('BYYEARDAY'),
    weekNumbers: integers('BYWEEKNO'),
    easterDays: integers('BYEASTER'),
    weekdays: values
      .get('BYDAY')
      ?.split(',')
      .map((item) => parseWeekday(item, invalid)),
    hours: integers('BYHOUR', (value) => value >= 0 && value <= 23, '0 to 23'),
    minutes: integers('BYMINUTE', (value) => value >= 0 && value <= 59, '0 to 59'),
    seconds: integers('BYSECOND', (value) => value >= 0 && value <= 59, '0 to 59'),
  }
}

const NAMES = new Set([
  ...['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST', 'BYSETPOS', 'BYMONTH', 'BYMONTHDAY', 'BYYEARDAY', 'BYWEEKNO', 'BYEASTER'],
  ...['BYDAY', 'BYWEEKDAY', 'BYHOUR', 'BYMINUTE', 'BYSECOND'],
])

/** `FR`, `-1FR` or `FR(-1)`. */
function parseWeekday(item: string, invalid: MakeError): NthWeekday {
  const match = /^([+-]?\d+)?(MO|TU|WE|TH|FR|SA|SU)(?:\(([+-]?\d+)\))?$/.exec(item)
  if (!match || (match[1] !== undefined && match[3] !== undefined))
    throw invalid(`BYDAY: ${JSON.stringify(item)} is not a weekday such as FR or -1FR`)
  const number = match[1] ?? match[3]
  if (number !== undefined && Number(number) === 0) throw invalid('BYDAY: weekdays are numbered from 1, or from -1 at the end')
  return { weekday: WEEKDAYS.indexOf(match[2]!), nth: number === undefined ? undefined : Number(number) }
}

export interface RRuleDate {
  /** The digits as a wall-clock time. */
  local: number
  /** It names UTC or an offset, which is not what counts: see `rrule-text.ts`. */
  zoned: boolean
}

const PATTERN = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/

/** `20310101`, `20310101T0930`, `20310101T093000Z` and the same with dashes and colons. */
export function readRRuleDate(text: string): RRuleDate | undefined {
  const match = PATTERN.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (!isCivil({ year, month, day }) || hour > 23 || minute > 59 || second > 59) return undefined
  return { local: dayNumber({ year, month, day }) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second, zoned: match[7] !== undefined }
}
