import { InvalidSchedule } from './invalid-schedule.ts'

/**
 * The fields of a cron expression: five fields, then optionally seconds and years.
 *
 * Some rules follow the reference because existing schedules rely on them: a range that ends where it begins (`5-5`, and therefore
 * `59/2`, which means `59-59/2`) is the full cycle; a range may wrap around (`fri-mon`, `22-3`); 7 is Sunday only in expressions with
 * five fields; and `1-31` next to a weekday is not a star but a restriction that every day satisfies.
 */
export interface CronFields {
  minutes: number[]
  hours: number[]
  daysOfMonth: number[]
  lastDayOfMonth: boolean
  months: number[]
  /** 0 is Sunday. */
  weekdays: number[]
  /** Weekdays by their number within the month; 0 is the last one. */
  nthWeekdays: { weekday: number; nth: number }[]
  seconds: number[]
  years: number[] | undefined
  anyDayOfMonth: boolean
  anyWeekday: boolean
}

interface Field {
  name: string
  min: number
  max: number
  names?: string[]
}

const DAY = 2
const MONTH = 3
const WEEKDAY = 4

const FIELDS: Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { name: 'weekday', min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
  { name: 'second', min: 0, max: 59 },
  { name: 'year', min: 1970, max: 2099 },
]

const ALIASES: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

export function parseCron(cron: string): CronFields {
  const text = cron.toLowerCase()
  const parts = (ALIASES[text] ?? text).trim().split(/\s+/)
  const invalid = (why: string) => new InvalidSchedule(`The cron expression ${JSON.stringify(cron)} is not valid: ${why}.`)
  if (parts.length < 5 || parts.length > 7) throw invalid('it needs 5 fields, or 6 with seconds, or 7 with seconds and years')
  if (parts.some((part) => /^[hr](\(|\/|$)/.test(part))) throw invalid('random (R) and hashed (H) fields are not supported')
  const fields = parts.map((part, index) => parseField(part, index, parts, invalid))
  const [minutes, hours, days, months, weekdays, seconds, years] = fields as [Values, Values, Values, Values, Values, Values?, Values?]
  if (weekdays.nth.length > 0) {
    const plain = [...weekdays.values].filter((value) => !weekdays.nth.some(({ weekday }) => weekday === value))
    if (plain.length > 0 && weekdays.values.size !== 7) throw invalid('weekdays cannot be mixed with numbered weekdays such as 5#2')
  }
  return {
    minutes: valuesOf(minutes, 0),
    hours: valuesOf(hours, 1),
    daysOfMonth: [...days.values],
    lastDayOfMonth: days.last,
    months: valuesOf(months, MONTH),
    weekdays: [...weekdays.values],
    nthWeekdays: weekdays.nth,
    seconds: seconds ? valuesOf(seconds, 5) : [0],
    years: years && !years.any ? [...years.values] : undefined,
    anyDayOfMonth: days.any,
    anyWeekday: weekdays.any,
  }
}

interface Values {
  any: boolean
  values: Set<number>
  last: boolean
  nth: { weekday: number; nth: number }[]
}

type MakeError = (why: string) => InvalidSchedule

function parseField(part: string, index: number, parts: string[], invalid: MakeError): Values {
  const { name, min, max } = FIELDS[index]!
  const found: Values = { any: false, values: new Set(), last: false, nth: [] }
  if (part.includes('?') && (part !== '?' || (index !== DAY && index !== WEEKDAY))) throw invalid('? stands only alone, for any day')
  for (const item of (part === '?' ? '*' : part).split(',')) {
    const { text, nth } = index === WEEKDAY ? splitNth(item, invalid) : { text: item, nth: undefined }
    if (text === '*') found.any = true
    else if (text === 'l' && index === DAY) found.last = true
    else {
      for (const value of parseItem(text, index, parts.length, invalid)) {
        if (value < min || value > max) throw invalid(`${name} ${value} is out of range (${min} to ${max})`)
        found.values.add(value)
        if (nth !== undefined) found.nth.push({ weekday: value, nth })
      }
    }
  }
  if (!found.any && found.values.size + (found.last ? 1 : 0) === max - min + 1) {
    // A complete list is a star, unless the other day field is restricted: then the star would leave only that restriction.
    const other = index === DAY ? parts[WEEKDAY] : index === WEEKDAY ? parts[DAY] : '*'
    found.any = other!.includes('*')
  }
  return found
}

/** `fri#2` is the second Friday and `l5` the last one. */
function splitNth(item: string, invalid: MakeError): { text: string; nth?: number } {
  const numbered = /^([a-z]{3}-[a-z]{3}|\w+)#(\d+)$/.exec(item)
  const last = /^l(\d+)$/.exec(item)
  if (last) return { text: last[1]!, nth: 0 }
  if (!numbered) return { text: item }
  const nth = Number(numbered[2])
  if (nth < 1 || nth > 5) throw invalid(`there is no weekday number ${nth} in a month`)
  return { text: numbered[1]!, nth }
}

/** The values of a number, a name, a range or a step. Single values are not range-checked yet. */
function parseItem(item: string, index: number, fieldCount: number, invalid: MakeError): number[] {
  const { name, min, max } = FIELDS[index]!
  const range = /^([^-/]+)(?:-([^-/]+))?(?:\/(\d+))?$/.exec(item)
  if (!range) throw invalid(`${JSON.stringify(item)} is not a ${name}`)
  const [, low, high, stepText] = range as unknown as [string, string, string | undefined, string | undefined]
  if (high === undefined && stepText === undefined) return [readValue(low, index, fieldCount, invalid)]
  if (low === '*' && high !== undefined) throw invalid(`${JSON.stringify(item)} is not a range of ${name}s`)
  const step = Number(stepText ?? 1)
  if (step === 0) throw invalid(`the step of ${JSON.stringify(item)} is zero`)
  const from = low === '*' ? min : readValue(low, index, fieldCount, invalid)
  const to = high === undefined ? max : high === 'l' && index === DAY ? 31 : readValue(high, index, fieldCount, invalid)
  if (Math.max(from, to) > max) throw invalid(`${name} ${Math.max(from, to)} is out of range (${min} to ${max})`)
  if (from === to) return series(min, max, step)
  if (from < to) return series(from, to, step)
  const upper = series(from, max, step)
  const left = max - (upper.at(-1) ?? max)
  const skip = max - left - min + step > max - min + 1 && left < step ? step - left : 0
  return [...upper, ...series(min + skip, to, step)]
}

function readValue(text: string, index: number, fieldCount: number, invalid: MakeError): number {
  const { name, names } = FIELDS[index]!
  const named = names?.indexOf(text) ?? -1
  if (named >= 0 && text !== '') return named
  if (!/^\d+$/.test(text)) throw invalid(`${JSON.stringify(text)} is not a ${name}`)
  const value = Number(text)
  if (index === WEEKDAY && value === 7 && fieldCount === 5) return 0
  if (index === DAY && value === 0 && fieldCount === 6) return 1
  return value
}

function series(from: number, to: number, step: number): number[] {
  const values: number[] = []
  for (let value = from; value <= to; value += step) values.push(value)
  return values
}

function valuesOf({ any, values }: Values, index: number): number[] {
  const { min, max } = FIELDS[index]!
  return any ? series(min, max, 1) : [...values]
}
