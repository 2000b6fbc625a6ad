import { expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import type { Schedule } from '../../lib/schedule/schedule.ts'
import { addSeconds, formatTime, type Micros, toMicros } from '../../lib/time.ts'
import { planSchedule } from './plan-runs.ts'
import { listPlannedTimes } from './planned-runs.ts'

const settings = readConfig({}, []).config.services.scheduler
const now = toMicros('2030-01-01T00:00:10.5Z')
const every = (seconds: number): Schedule => ({ interval: seconds, anchor_date: '2030-01-01T00:00:00Z', timezone: 'UTC' })
const clock = (times: readonly Micros[]) => times.map((time) => formatTime(time).slice(0, 19))
const planned = (schedule: Schedule, at = now, row: { planned_until?: Micros; planned_at?: Micros; max_scheduled_runs?: number | null } = {}) =>
  planSchedule(schedule, { planned_until: now, planned_at: now, max_scheduled_runs: null, ...row }, at, settings)
const secondsOn = (time: Micros | null) => (time === null ? null : (time - now) / 1e6)

test.each([
  ['ten minutes: an hour ahead and the first time after it', every(600), 7, 4200 - 10.5],
  ['a minute: about sixty', every(60), 61, 3660 - 10.5],
  ['a second: no more than the most', every(1), 100, 99.5],
  ['two hours: no fewer than the fewest', every(7200), 3, 3 * 7200 - 10.5],
  ['a month: three', { cron: '0 0 1 * *' }, 3, 90 * 86_400 - 10.5],
  ['a year: none within a hundred days', { cron: '0 0 1 6 *' }, 0, 0],
] as [string, Schedule, number, number][])('%s', (_name, schedule, count, last) => {
  const { times, planned_until } = planned(schedule)
  expect(times).toHaveLength(count)
  expect(secondsOn(planned_until)).toBe(last)
})

test('examines a schedule again when one more run is needed, and no sooner', () => {
  for (const [schedule, most] of [
    [every(600), 7],
    [every(7200), 3],
    [every(1), 100],
    [{ cron: '*/7 * * * *' }, 100],
  ] as [Schedule, number][]) {
    const first = planned(schedule)
    const due = first.due as Micros
    const row = { planned_until: first.planned_until }
    expect(planned(schedule, due, row).times.length, JSON.stringify(schedule)).toBe(1)
    const before = planned(schedule, due - 2, row)
    expect(before.times, JSON.stringify(schedule)).toEqual([])
    expect(planned(schedule, due, row).times.length).toBeLessThanOrEqual(most)
  }
})

test('plans every time once for any sequence of passes', () => {
  const schedule: Schedule = { cron: '*/3 * * * *' }
  const seen: Micros[] = []
  let row = { planned_until: now, planned_at: now, max_scheduled_runs: null }
  let step = 1
  for (let at = now; at < addSeconds(now, 86_400); at = addSeconds(at, step + 1)) {
    step = (step * 7919) % 997
    const plan = planSchedule(schedule, row, at, settings)
    seen.push(...plan.times)
    row = { ...row, planned_until: plan.planned_until }
  }
  const all = listPlannedTimes(schedule, { start: now, end: seen.at(-1) as Micros, timeMin: 10 ** 12, runsMin: 1, runsMax: 1000 })
  expect(seen).toEqual(all)
})

test('plans the times that a late pass missed, but not those of a long outage', () => {
  const { times } = planned(every(1), addSeconds(now, 30), { planned_until: addSeconds(now, 10) })
  expect(clock(times.slice(0, 2))).toEqual(['2030-01-01T00:00:21', '2030-01-01T00:00:22'])
  const after = planned(every(1), addSeconds(now, 3600), { planned_until: now })
  expect(clock(after.times.slice(0, 1))).toEqual(['2030-01-01T00:59:11'])
})

test('replans after a clock that was a day ahead', () => {
  const day = 86_400
  const wrong = planned(every(600), addSeconds(now, day), { planned_until: addSeconds(now, 3600) })
  const { times, due } = planned(every(600), addSeconds(now, 60), { planned_until: wrong.planned_until, planned_at: wrong.planned_at })
  expect(clock(times.slice(0, 2))).toEqual(['2030-01-01T00:10:00', '2030-01-01T00:20:00'])
  expect(secondsOn(due)).toBeLessThan(3600)
})

test('plans the next run as soon as one starts if few runs are planned ahead', () => {
  const { times, due } = planned(every(600), now, { max_scheduled_runs: 2 })
  expect(clock(times)).toEqual(['2030-01-01T00:10:00', '2030-01-01T00:20:00'])
  expect(due).toBe((times[0] as Micros) + 1)
})

test('never examines an ended schedule again, and a sparse one when its next time comes near', () => {
  expect(planned({ rrule: 'DTSTART:20300101T000000\nRRULE:FREQ=DAILY;COUNT=3' })).toMatchObject({ due: null, times: { length: 2 } })
  const yearly = planned({ cron: '0 0 1 6 *' })
  expect(formatTime(yearly.due as Micros)).toBe('2030-02-21T00:00:00Z')
})

test('includes both ends of a period, prefers the maximum over the minimum and always plans one run', () => {
  const daily = every(86_400)
  const period = { start: toMicros('2030-02-01T00:00:00Z'), end: toMicros('2030-02-05T00:00:00Z'), timeMin: 0, runsMin: 10, runsMax: 100 }
  expect(listPlannedTimes(daily, period)).toHaveLength(5)
  expect(listPlannedTimes(daily, { ...period, runsMax: 2 })).toHaveLength(2)
  expect(listPlannedTimes(daily, { ...period, runsMax: 0 })).toHaveLength(1)
  expect(listPlannedTimes(daily, { ...period, end: period.start - 1 })).toEqual([])
  expect(listPlannedTimes(daily, { ...period, runsMin: 1, timeMin: 2 * 86_400e6 })).toHaveLength(3)
})
