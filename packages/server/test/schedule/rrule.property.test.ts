import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkSchedule } from '../../src/lib/schedule/check-schedule.ts'
import { upcomingTimes } from '../../src/lib/schedule/schedule.ts'
import { compact, type RuleModel, ruleText, ruleTimes } from './rrule-model.ts'
import { firstYear, getSampledZoneModel, lastYear, listTestWindows, rulesPerZone, zones } from './sampled-zones.ts'
import { resolveLocalTimes } from './zone-model.ts'

const DAY = 86_400

const sometimes = <T>(value: fc.Arbitrary<T>, weight = 1) => fc.option(value, { nil: undefined, freq: weight })
const list = (min: number, max: number, length = 3) => fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: length })
const signed = (max: number, length = 3) =>
  list(-max, max, length)
    .map((values) => values.filter((value) => value !== 0))
    .filter((values) => values.length > 0)

const weekdays = (nth: fc.Arbitrary<number | undefined>) =>
  fc.array(fc.record({ weekday: fc.integer({ min: 0, max: 6 }), nth }), { minLength: 1, maxLength: 3 })

/** Rules with a frequency of a day or more. */
const calendarRules: fc.Arbitrary<RuleModel> = fc
  .constantFrom('YEARLY' as const, 'MONTHLY' as const, 'WEEKLY' as const, 'DAILY' as const)
  .chain((freq) => {
    const most = freq === 'YEARLY' ? 53 : 5
    const nth = freq === 'YEARLY' || freq === 'MONTHLY' ? sometimes(signed(most, 1).map(([value]) => value as number)) : fc.constant(undefined)
    return fc.record({
      freq: fc.constant(freq),
      interval: fc.constantFrom(1, 1, 1, 2, 3, 5),
      wkst: fc.constantFrom(0, 0, 6, 3),
      count: sometimes(fc.integer({ min: 1, max: 400 })),
      bysetpos: sometimes(signed(6)),
      bymonth: sometimes(list(1, 12, 6)),
      bymonthday: sometimes(signed(31, 6)),
      byyearday: sometimes(signed(366, 40), 8),
      byweekno: freq === 'YEARLY' ? sometimes(signed(53, 20), 8) : fc.constant(undefined),
      byday: sometimes(weekdays(nth), 2),
      byhour: sometimes(list(0, 3), 2),
      byminute: sometimes(list(0, 59, 2)),
      bysecond: sometimes(list(0, 59, 2), 4),
    })
  })

/** Rules with a frequency of hours or minutes. */
const clockRules: fc.Arbitrary<RuleModel> = fc.record({
  freq: fc.constantFrom('HOURLY' as const, 'MINUTELY' as const),
  interval: fc.constantFrom(1, 1, 2, 5, 7, 15, 30, 45, 60, 90, 1441),
  wkst: fc.constant(0),
  count: sometimes(fc.integer({ min: 1, max: 2000 })),
  bysetpos: sometimes(signed(2), 6),
  byday: sometimes(weekdays(fc.constant(undefined)), 3),
  bymonthday: sometimes(signed(31, 12), 6),
  byhour: sometimes(list(0, 4), 3),
  byminute: sometimes(list(0, 59, 5), 4),
  bysecond: sometimes(list(0, 59, 2), 6),
})

const UNITS = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 }

/** The rule names no hours and steps by an hour or less. */
const isEveryRound = ({ freq, interval, byhour }: RuleModel) => byhour === undefined && interval * (UNITS[freq as keyof typeof UNITS] ?? DAY) <= 3600

function actual(rrule: string, timezone: string, { from, until }: { from: number; until: number }): number[] {
  const found: number[] = []
  for (let after = from * 1e6; ; after = found.at(-1)! * 1e6 + 1) {
    const more = upcomingTimes({ rrule, timezone }, { after, until: until * 1e6, limit: 1000 })
    found.push(...more.map((time) => time / 1e6))
    if (more.length < 1000) return found
  }
}

/** The times of server and model; undefined for a rule that is rejected because it can never fire. */
function compare(rule: RuleModel, start: number, zone: string, window: { from: number; until: number }): void {
  const text = `DTSTART:${compact(start)}\nRRULE:${ruleText(rule)}`
  const locals = ruleTimes(rule, start, window.until + 2 * DAY)
  if (checkSchedule({ rrule: text }) !== undefined) expect(locals).toEqual([])
  else expect(actual(text, zone, window), text).toEqual(resolveLocalTimes(getSampledZoneModel(zone), locals, isEveryRound(rule), window))
}

describe('rules fire at the same times as the model', () => {
  test.each(zones)('in %s', (zone) => {
    for (const stretch of listTestWindows(zone)) {
      fc.assert(
        fc.property(clockRules, fc.integer({ min: 0, max: 6 * DAY }), fc.integer({ min: -DAY, max: 4 * DAY }), (rule, ahead, late) => {
          compare(rule, stretch.from - ahead, zone, { from: stretch.from + late, until: stretch.until })
        }),
        { numRuns: rulesPerZone },
      )
    }
    const starts = fc.integer({ min: Date.UTC(firstYear - 1, 0, 2) / 1000, max: Date.UTC(lastYear, 0, 1) / 1000 })
    fc.assert(
      fc.property(calendarRules, starts, fc.integer({ min: 0, max: 400 * DAY }), (rule, start, late) => {
        const end = Date.UTC(lastYear + 1, 0, 1) / 1000 - 3 * DAY
        compare(rule, start, zone, { from: Math.min(start + late, end), until: end })
      }),
      { numRuns: rulesPerZone * 3 },
    )
  })
})

test('rules with a frequency of seconds fire at the same times as the model', () => {
  const rules = fc.record({
    freq: fc.constant('SECONDLY' as const),
    interval: fc.constantFrom(1, 7, 11, 30, 45, 61, 3600, 7200, 86_399),
    wkst: fc.constant(0),
    count: sometimes(fc.integer({ min: 1, max: 50_000 })),
    byhour: sometimes(list(0, 3)),
    byminute: sometimes(list(0, 59, 4)),
    bysecond: sometimes(list(0, 59, 4)),
  })
  const [change] = listTestWindows('America/New_York')
  fc.assert(
    fc.property(rules, fc.integer({ min: 3600, max: 2 * DAY }), fc.integer({ min: 0, max: 7200 }), (rule, ahead, late) => {
      const at = change!.from + 4 * DAY
      compare(rule, at - ahead, 'America/New_York', { from: at - 3600 + late, until: at + 7200 })
    }),
    { numRuns: rulesPerZone * 20 },
  )
})
