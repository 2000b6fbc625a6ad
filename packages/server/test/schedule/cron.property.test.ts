import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CronSchedule, upcomingTimes } from '../../src/lib/schedule/schedule.ts'
import { getSampledZoneModel, listTestWindows, rulesPerZone, zones } from './sampled-zones.ts'
import { resolveLocalTimes, type ZoneModel } from './zone-model.ts'

/** The text of one field and its values. */
interface Field {
  text: string
  values: Set<number> | undefined
}

const any: Field = { text: '*', values: undefined }

function field(min: number, max: number): fc.Arbitrary<Field> {
  const value = fc.integer({ min, max })
  const range = (from: number, to: number, step: number) =>
    new Set(Array.from({ length: max + 1 }, (_, n) => n).filter((n) => n >= from && n <= to && (n - from) % step === 0))
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(any) },
    fc.uniqueArray(value, { minLength: 1, maxLength: 4 }).map((list) => ({ text: list.join(','), values: new Set(list) })),
    fc.integer({ min: 2, max: 20 }).map((step) => ({ text: `*/${step}`, values: range(min, max, step) })),
    fc
      .tuple(value, value)
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => ({ text: `${Math.min(a, b)}-${Math.max(a, b)}`, values: range(Math.min(a, b), Math.max(a, b), 1) })),
  )
}

interface Cron {
  minute: Field
  hour: Field
  day: Field
  month: Field
  weekday: Field
  dayOr: boolean
}

const crons: fc.Arbitrary<Cron> = fc.record({
  minute: field(0, 59),
  hour: field(0, 23),
  day: fc.oneof({ weight: 4, arbitrary: fc.constant(any) }, field(1, 31)),
  month: fc.oneof({ weight: 6, arbitrary: fc.constant(any) }, field(1, 12)),
  weekday: fc.oneof({ weight: 4, arbitrary: fc.constant(any) }, field(0, 6)),
  dayOr: fc.boolean(),
})

/** The hours in which clocks change. */
const nightCrons: fc.Arbitrary<Cron> = fc.record({
  minute: fc.oneof(fc.constantFrom('0', '30', '15,45', '*/10', '*').map(read(60)), field(0, 59)),
  hour: fc.constantFrom('*', '0', '1', '2', '3', '23', '0-3', '1,2', '*/2').map(read(24)),
  day: fc.constant(any),
  month: fc.constant(any),
  weekday: fc.constant(any),
  dayOr: fc.constant(true),
})

function read(size: number) {
  return (text: string): Field => {
    const all = Array.from({ length: size }, (_, n) => n)
    const step = /^\*\/(\d+)$/.exec(text)
    const range = /^(\d+)-(\d+)$/.exec(text)
    if (text === '*') return any
    if (step) return { text, values: new Set(all.filter((n) => n % Number(step[1]) === 0)) }
    if (range) return { text, values: new Set(all.filter((n) => n >= Number(range[1]) && n <= Number(range[2]))) }
    return { text, values: new Set(text.split(',').map(Number)) }
  }
}

const has = ({ values }: Field, value: number) => values === undefined || values.has(value)

/** The model: checks each minute. */
function matches({ minute, hour, day, month, weekday, dayOr }: Cron, local: number): boolean {
  const minutes = local / 60
  if (!has(minute, ((minutes % 60) + 60) % 60) || !has(hour, ((Math.floor(minutes / 60) % 24) + 24) % 24)) return false
  const date = new Date(local * 1000)
  if (!has(month, date.getUTCMonth() + 1)) return false
  const [onDay, onWeekday] = [has(day, date.getUTCDate()), has(weekday, date.getUTCDay())]
  return isLimited(day, 31, weekday) && isLimited(weekday, 7, day) && dayOr ? onDay || onWeekday : onDay && onWeekday
}

/** As in the reference, a field with all values is one without if the other one has a star. */
const isLimited = ({ values }: Field, size: number, other: Field): boolean =>
  values !== undefined && !(values.size === size && other.text.includes('*'))

function expected(cron: Cron, clock: ZoneModel, window: { from: number; until: number }): number[] {
  const locals: number[] = []
  const day = 86_400
  for (let local = Math.floor(window.from / day - 2) * day; local <= window.until + 2 * day; local += 60) if (matches(cron, local)) locals.push(local)
  return resolveLocalTimes(clock, locals, cron.hour.values === undefined || cron.hour.values.size === 24, window)
}

const asSchedule = ({ minute, hour, day, month, weekday, dayOr }: Cron, timezone: string): CronSchedule => ({
  cron: [minute, hour, day, month, weekday].map(({ text }) => text).join(' '),
  day_or: dayOr,
  timezone,
})

/** All times of a range, read in pages of a thousand. */
function actual(schedule: CronSchedule, { from, until }: { from: number; until: number }): number[] {
  const found: number[] = []
  for (let after = from * 1e6; ; after = found.at(-1)! * 1e6 + 1) {
    const more = upcomingTimes(schedule, { after, until: until * 1e6, limit: 1000 })
    found.push(...more.map((time) => time / 1e6))
    if (more.length < 1000) return found
  }
}

describe('cron fires at the same times as the model', () => {
  test.each(zones)('in %s', (zone) => {
    const clock = getSampledZoneModel(zone)
    for (const stretch of listTestWindows(zone)) {
      fc.assert(
        fc.property(fc.oneof(crons, nightCrons), fc.integer({ min: 0, max: 8 * 1440 }), (cron, minutes) => {
          const window = { from: stretch.from + minutes * 30, until: stretch.until }
          expect(actual(asSchedule(cron, zone), window)).toEqual(expected(cron, clock, window))
        }),
        { numRuns: rulesPerZone * 2 },
      )
    }
  })
})

test.each(zones)('an hourly cron in %s has no gap above an hour plus the change of the clock', (zone) => {
  const clock = getSampledZoneModel(zone)
  for (const { from, until } of listTestWindows(zone)) {
    const found = actual({ cron: '0 * * * *', timezone: zone }, { from, until })
    const odd = clock.offsetPeriods.some((spell) => spell.offset % 3600 !== 0)
    for (const [index, time] of found.entries()) if (index > 0) expect(time - found[index - 1]!).toBeLessThanOrEqual(odd ? 5400 : 3600)
    expect(new Set(found).size).toBe(found.length)
  }
})
