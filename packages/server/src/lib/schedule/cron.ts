import { type CronFields, parseCron } from './cron-fields.ts'
import { dailyTimes } from './daily-times.ts'
import type { LocalTimes } from './local-times.ts'
import { createTimesOfDay } from './times-of-day.ts'
import { type DayFacts, yearDays } from './year-days.ts'

/** The times of a cron expression. With `dayOr`, a day matches if its day of the month or its weekday does. */
export function cronTimes(cron: string, dayOr: boolean): LocalTimes {
  const fields = parseCron(cron)
  return dailyTimes({
    days: yearDays({ matches: dayMatcher(fields, dayOr), years: fields.years && new Set(fields.years) }),
    times: createTimesOfDay(fields),
    start: -Infinity,
    every: 1,
  })
}

function dayMatcher(fields: CronFields, dayOr: boolean): (facts: DayFacts) => boolean {
  const months = new Set(fields.months)
  const days = new Set(fields.daysOfMonth)
  const weekdays = new Set(fields.weekdays)
  const onDay = ({ day, monthLength }: DayFacts) => days.has(day) || (fields.lastDayOfMonth && day === monthLength)
  const onWeekday = ({ weekday }: DayFacts) => weekdays.has((weekday + 1) % 7)
  const onNthWeekday = ({ weekday, day, monthLength }: DayFacts) =>
    fields.nthWeekdays.some(
      (each) => each.weekday === (weekday + 1) % 7 && (each.nth === 0 ? day + 7 > monthLength : Math.ceil(day / 7) === each.nth),
    )
  const numbered = fields.nthWeekdays.length > 0
  const either = dayOr && !fields.anyDayOfMonth && !fields.anyWeekday
  return (facts) => {
    if (!months.has(facts.month)) return false
    // Days of the month only narrow numbered weekdays, when both must match; they never extend them.
    if (numbered) return onNthWeekday(facts) && (either || fields.anyDayOfMonth || onDay(facts))
    if (either) return onDay(facts) || onWeekday(facts)
    return (fields.anyDayOfMonth || onDay(facts)) && (fields.anyWeekday || onWeekday(facts))
  }
}
