/**
 * Recurrence rules by brute force: checks each day, hour, minute or second from the start on. Uses `Date`, so that it shares no code with the
 * calendar of the server.
 */
export interface RuleModel {
  freq: 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY' | 'HOURLY' | 'MINUTELY' | 'SECONDLY'
  interval: number
  wkst: number
  count?: number | undefined
  until?: number | undefined
  bysetpos?: number[] | undefined
  bymonth?: number[] | undefined
  bymonthday?: number[] | undefined
  byyearday?: number[] | undefined
  byweekno?: number[] | undefined
  byday?: { weekday: number; nth?: number | undefined }[] | undefined
  byhour?: number[] | undefined
  byminute?: number[] | undefined
  bysecond?: number[] | undefined
}

const DAY = 86_400
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

export const compact = (local: number): string => new Date(local * 1000).toISOString().replace(/[-:]|\.000Z/g, '')

export function ruleText(rule: RuleModel): string {
  const days = rule.byday?.map(({ weekday, nth }) => `${nth ?? ''}${WEEKDAYS[weekday]}`)
  const parts = {
    FREQ: rule.freq,
    INTERVAL: rule.interval,
    WKST: WEEKDAYS[rule.wkst],
    COUNT: rule.count,
    UNTIL: rule.until === undefined ? undefined : compact(rule.until),
    BYSETPOS: rule.bysetpos,
    BYMONTH: rule.bymonth,
    BYMONTHDAY: rule.bymonthday,
    BYYEARDAY: rule.byyearday,
    BYWEEKNO: rule.byweekno,
    BYDAY: days,
    BYHOUR: rule.byhour,
    BYMINUTE: rule.byminute,
    BYSECOND: rule.bysecond,
  }
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join(';')
}

const dateOfDay = (day: number) => new Date(day * DAY * 1000)
const dayOf = (year: number, month: number, day: number) => Date.UTC(year, month, day) / 1000 / DAY
/** 0 is Monday. */
const weekday = (day: number) => (dateOfDay(day).getUTCDay() + 6) % 7
const weekBegin = (day: number, wkst: number) => day - ((weekday(day) - wkst + 7) % 7)

function isAllowed(rule: RuleModel, day: number, start: number): boolean {
  const at = dateOfDay(day)
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  const first = dateOfDay(Math.floor(start / DAY))
  const named = rule.byweekno ?? rule.byyearday ?? rule.bymonthday ?? rule.byday
  const bymonth = rule.bymonth ?? (!named && rule.freq === 'YEARLY' ? [first.getUTCMonth() + 1] : undefined)
  const bymonthday = rule.bymonthday ?? (!named && (rule.freq === 'YEARLY' || rule.freq === 'MONTHLY') ? [first.getUTCDate()] : undefined)
  const byday = rule.byday ?? (!named && rule.freq === 'WEEKLY' ? [{ weekday: (first.getUTCDay() + 6) % 7 }] : undefined)
  if (bymonth && !bymonth.includes(month + 1)) return false
  const monthEnd = dayOf(year, month + 1, 1)
  if (bymonthday && !bymonthday.includes(at.getUTCDate()) && !bymonthday.includes(day - monthEnd)) return false
  const [yearBegin, yearEnd] = [dayOf(year, 0, 1), dayOf(year + 1, 0, 1)]
  if (rule.byyearday && !rule.byyearday.includes(day - yearBegin + 1) && !rule.byyearday.includes(day - yearEnd)) return false
  if (rule.byweekno) {
    // A week belongs to the year of its fourth day.
    const middle = weekBegin(day, rule.wkst) + 3
    const ofYear = dateOfDay(middle).getUTCFullYear()
    const number = Math.floor((middle - dayOf(ofYear, 0, 1)) / 7) + 1
    const fromEnd = -(Math.floor((dayOf(ofYear + 1, 0, 1) - 1 - middle) / 7) + 1)
    if (!rule.byweekno.includes(number) && !rule.byweekno.includes(fromEnd)) return false
  }
  if (!byday) return true
  const numbers = rule.freq === 'MONTHLY' || rule.freq === 'YEARLY'
  const [from, to] = rule.freq === 'MONTHLY' || bymonth ? [dayOf(year, month, 1), monthEnd] : [yearBegin, yearEnd]
  return byday.some(({ weekday: wanted, nth }) => {
    if (weekday(day) !== wanted) return false
    if (nth === undefined || !numbers) return true
    return nth > 0 ? Math.floor((day - from) / 7) === nth - 1 : Math.floor((to - 1 - day) / 7) === -nth - 1
  })
}

/** The local times of a rule up to `end`. */
export function ruleTimes(rule: RuleModel, start: number, end: number): number[] {
  const found: number[] = []
  for (const group of listPeriods(rule, start, end)) {
    const meant = rule.bysetpos
      ? group.filter((_, index) => rule.bysetpos?.includes(index + 1) || rule.bysetpos?.includes(index - group.length))
      : group
    found.push(...meant.filter((time) => time >= start))
  }
  return found.filter((time, index) => (rule.count === undefined || index < rule.count) && time <= (rule.until ?? end))
}

/** The times of each period of the rule, in order. */
function* listPeriods(rule: RuleModel, start: number, end: number): Generator<number[]> {
  const unit = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 }[rule.freq as string]
  const at = { hour: Math.floor(start / 3600) % 24, minute: Math.floor(start / 60) % 60, second: start % 60 }
  const sorted = (list: number[]) => [...new Set(list)].sort((a, b) => a - b)
  const minutes = sorted(rule.byminute ?? [at.minute])
  const seconds = sorted(rule.bysecond ?? [at.second])
  if (unit !== undefined) {
    for (let time = Math.floor(start / unit) * unit; time <= end; time += unit * rule.interval) {
      if (rule.byhour && !rule.byhour.includes(Math.floor(time / 3600) % 24)) continue
      if (unit < 3600 && rule.byminute && !rule.byminute.includes(Math.floor(time / 60) % 60)) continue
      if (unit < 60 && rule.bysecond && !rule.bysecond.includes(time % 60)) continue
      if (!isAllowed(rule, Math.floor(time / DAY), start)) continue
      yield (unit === 3600 ? minutes : [0]).flatMap((minute) => (unit >= 60 ? seconds : [0]).map((second) => time + minute * 60 + second))
    }
    return
  }
  const hours = sorted(rule.byhour ?? [at.hour])
  const times = hours.flatMap((hour) => minutes.flatMap((minute) => seconds.map((second) => hour * 3600 + minute * 60 + second)))
  const firstDay = Math.floor(start / DAY)
  const begin = rule.freq === 'YEARLY' || rule.freq === 'MONTHLY' ? dayOf(dateOfDay(firstDay).getUTCFullYear(), 0, 1) : firstDay
  const periodOf = (day: number) => {
    if (rule.freq === 'YEARLY') return dateOfDay(day).getUTCFullYear()
    if (rule.freq === 'MONTHLY') return dateOfDay(day).getUTCFullYear() * 12 + dateOfDay(day).getUTCMonth()
    return rule.freq === 'WEEKLY' ? Math.floor(weekBegin(day, rule.wkst) / 7) : day
  }
  const byPeriod = new Map<number, number[]>()
  const first = periodOf(firstDay)
  // One more year, so that the last period is complete.
  for (let day = begin; day * DAY <= end + 366 * DAY; day++) {
    const steps = periodOf(day) - first
    if (steps < 0 || steps % rule.interval !== 0 || !isAllowed(rule, day, start)) continue
    const group = byPeriod.get(steps) ?? []
    byPeriod.set(steps, group)
    group.push(...times.map((time) => day * DAY + time))
  }
  yield* byPeriod.values()
}
