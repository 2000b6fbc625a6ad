import { civilOf, modulo, SECONDS_PER_DAY, weekdayOf } from './calendar.ts'
import { dailyTimes } from './daily-times.ts'
import { boundedTimes, type CountedTimes, type LocalTimes, type LocalTimesSet, listedTimes } from './local-times.ts'
import { months, periodTimes, weeks, years } from './period-times.ts'
import { DEFAULT_START, parseRecurrence } from './recurrence.ts'
import { type RRuleParts, readRRuleDate } from './rrule-parts.ts'
import { greatestCommonDivisor, steppedTimes } from './stepped-times.ts'
import { createTimesOfDay, listTimesOfDay, splitTime, type TimesOfDay } from './times-of-day.ts'
import { type DayFacts, type YearDays, yearDays } from './year-days.ts'

const UNITS = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 }

/** The times of a recurrence, parsed by `recurrence.ts`. */
export function rruleTimes(text: string): LocalTimesSet {
  const { start, rules, exceptRules, dates, exceptDates } = parseRecurrence(text)
  const from = start?.local ?? readRRuleDate(DEFAULT_START.slice('DTSTART:'.length))!.local
  return {
    include: [...rules.map((rule) => ruleTimes(rule, from)), listedTimes(dates)],
    exclude: [...exceptRules.map((rule) => ruleTimes(rule, from)), listedTimes(exceptDates)],
  }
}

/** Why a rule can never match, if its parts alone show that. */
export function unsatisfiableReason(text: string): string | undefined {
  const { start, rules, exceptRules } = parseRecurrence(text)
  const { second } = splitTime(start?.local ?? 0)
  for (const { frequency, interval, hours, minutes, seconds } of [...rules, ...exceptRules]) {
    const [name, values, size, first] =
      frequency === 'HOURLY'
        ? ['BYHOUR', hours, 24, Math.floor(second / 3600)]
        : frequency === 'MINUTELY'
          ? ['BYMINUTE', minutes, 60, Math.floor(second / 60) % 60]
          : ['BYSECOND', frequency === 'SECONDLY' ? seconds : undefined, 60, second % 60]
    const common = greatestCommonDivisor(interval, size as number)
    if ((values as number[] | undefined)?.every((value) => modulo(value - (first as number), common) !== 0)) {
      return `an INTERVAL of ${interval} never comes by any ${name} that is listed`
    }
  }
  return undefined
}

function ruleTimes(parts: RRuleParts, start: number): LocalTimes {
  const { count, until } = parts
  return boundedTimes(unboundedTimes(parts, start), { last: until?.local, count })
}

function unboundedTimes(parts: RRuleParts, start: number): CountedTimes {
  const { frequency, interval: every, positions } = parts
  const days = allowedDays(parts, start)
  if (frequency === 'HOURLY' || frequency === 'MINUTELY' || frequency === 'SECONDLY') return steppedRuleTimes(parts, UNITS[frequency], days, start)
  const { day, second } = splitTime(start)
  const times = createTimesOfDay({
    hours: parts.hours ?? [Math.floor(second / 3600)],
    minutes: parts.minutes ?? [Math.floor(second / 60) % 60],
    seconds: parts.seconds ?? [second % 60],
  })
  if (frequency === 'DAILY') return dailyTimes({ days, times: positions ? selectPositions(times, positions) : times, start, every })
  const periods = frequency === 'YEARLY' ? years(day) : frequency === 'MONTHLY' ? months(day) : weeks(day, parts.weekStart)
  return periodTimes({ periods, days, times, start, every, positions })
}

function steppedRuleTimes(parts: RRuleParts, unit: number, days: YearDays, start: number): CountedTimes {
  const { hours, minutes, seconds, interval, positions } = parts
  const { second } = splitTime(start)
  // Fields finer than the unit are times within it; coarser fields restrict the units of a day.
  const finer = createTimesOfDay({
    hours: [0],
    minutes: unit > 60 ? (minutes ?? [Math.floor(second / 60) % 60]) : [0],
    seconds: unit > 1 ? (seconds ?? [second % 60]) : [0],
  })
  const coarser = createTimesOfDay({
    hours: hours ?? UP_TO_24,
    minutes: unit > 60 ? [0] : (minutes ?? UP_TO_60),
    seconds: unit > 1 ? [0] : (seconds ?? UP_TO_60),
  })
  return steppedTimes({
    unit,
    every: interval,
    start,
    days,
    within: coarser.size < SECONDS_PER_DAY / unit ? toArray(coarser).map((time) => time / unit) : undefined,
    offsets: toArray(positions ? selectPositions(finer, positions) : finer),
    coversEveryHour: coarser.coversEveryHour && interval * unit <= 3600,
  })
}

const UP_TO_24 = Array.from({ length: 24 }, (_, hour) => hour)
const UP_TO_60 = Array.from({ length: 60 }, (_, minute) => minute)

const toArray = (times: TimesOfDay): number[] => Array.from({ length: times.size }, (_, index) => times.at(index))

/** Applies BYSETPOS to the times of a day or an hour. */
function selectPositions(times: TimesOfDay, positions: readonly number[]): TimesOfDay {
  const indexes = positions.map((position) => (position > 0 ? position - 1 : times.size + position))
  return listTimesOfDay(indexes.filter((index) => index >= 0 && index < times.size).map((index) => times.at(index)))
}

function allowedDays(parts: RRuleParts, start: number): YearDays {
  const { frequency, weekNumbers, easterDays, weekStart } = parts
  const startDay = Math.floor(start / SECONDS_PER_DAY)
  const { month, day } = civilOf(startDay)
  let { months, monthDays, yearDays: numbered, weekdays } = parts
  // A rule without days uses the day of its start.
  if (!weekNumbers && !numbered && !monthDays && !weekdays && !easterDays) {
    if (frequency === 'YEARLY') months ??= [month]
    if (frequency === 'YEARLY' || frequency === 'MONTHLY') monthDays = [day]
    if (frequency === 'WEEKLY') weekdays = [{ weekday: weekdayOf(startDay), nth: undefined }]
  }
  const tests: ((facts: DayFacts) => boolean)[] = []
  if (months) tests.push(isIn(months, ({ month }) => [month]))
  if (monthDays) tests.push(isIn(monthDays, ({ day, monthLength }) => [day, day - monthLength - 1]))
  if (numbered) tests.push(isIn(numbered, ({ yearDay, yearLength }) => [yearDay, yearDay - yearLength - 1]))
  if (weekNumbers) tests.push(isIn(weekNumbers, ({ week, weeks }) => [week, week - weeks - 1]))
  if (easterDays) tests.push(isIn(easterDays, ({ sinceEaster }) => [sinceEaster]))
  if (weekdays) tests.push(weekdayTest(weekdays, frequency, months !== undefined))
  return yearDays({ matches: (facts) => tests.every((test) => test(facts)), weekStart, easter: easterDays !== undefined })
}

function isIn(values: readonly number[], read: (facts: DayFacts) => number[]): (facts: DayFacts) => boolean {
  const set = new Set(values)
  return (facts) => read(facts).some((value) => set.has(value))
}

/** Numbered weekdays count within the month, or within the year without BYMONTH. The number is ignored for frequencies below MONTHLY. */
function weekdayTest(weekdays: NonNullable<RRuleParts['weekdays']>, frequency: string, inMonths: boolean): (facts: DayFacts) => boolean {
  const byMonth = frequency === 'MONTHLY' || inMonths
  const plain = new Set(
    weekdays.filter(({ nth }) => nth === undefined || (frequency !== 'YEARLY' && frequency !== 'MONTHLY')).map(({ weekday }) => weekday),
  )
  const numbered = new Set(weekdays.filter(({ nth }) => nth !== undefined).map(({ weekday, nth }) => weekday + nth! * 7))
  return ({ weekday, day, monthLength, yearDay, yearLength }) => {
    if (plain.has(weekday)) return true
    if (numbered.size === 0) return false
    const place = byMonth ? day : yearDay
    const length = byMonth ? monthLength : yearLength
    return numbered.has(weekday + Math.ceil(place / 7) * 7) || numbered.has(weekday - Math.ceil((length - place + 1) / 7) * 7)
  }
}
