import type { DeploymentSchedule, Schedule } from '@millrace/contracts/schedule.ts'
import { expect, test } from 'vitest'
import { formatExactDuration, newScheduleDraft, toSchedule, toScheduleDraft } from './schedule-draft.ts'

const kept = (schedule: Schedule): DeploymentSchedule => ({
  id: 'i',
  created: null,
  updated: null,
  deployment_id: 'd',
  schedule,
  active: false,
  max_scheduled_runs: 5,
  parameters: { a: 1 },
  slug: 'often',
})

test('round-trips a schedule without changes', () => {
  const schedules: Schedule[] = [
    { cron: '0 9 * * 1', timezone: 'Europe/Berlin', day_or: false },
    { rrule: 'FREQ=DAILY', timezone: 'UTC' },
    { interval: 5400, timezone: 'America/New_York', anchor_date: '2030-07-31T09:00:00-04:00' },
  ]
  for (const schedule of schedules) expect(toSchedule(toScheduleDraft(kept(schedule)))).toEqual(schedule)
  expect(toScheduleDraft(kept({ cron: '* * * * *', day_or: true }))).toMatchObject({
    zone: 'UTC',
    active: false,
    slug: 'often',
    runsMax: '5',
    parameters: { a: 1 },
  })
})

test('reports missing values', () => {
  const draft = newScheduleDraft('UTC')
  expect(toSchedule({ ...draft, kind: 'interval', every: 'often' })).toBe('Enter an interval, such as 90 m or 1 d')
  expect(toSchedule({ ...draft, kind: 'interval', every: '0' })).toBe('Enter an interval, such as 90 m or 1 d')
  expect(toSchedule({ ...draft, cron: ' ' })).toBe('Enter a cron expression')
  expect(toSchedule({ ...draft, kind: 'rrule', rrule: '' })).toBe('Enter an RRULE')
})

test('formats durations without loss', () => {
  expect(formatExactDuration(90_061)).toBe('1 d 1 h 1 m 1 s')
  expect(formatExactDuration(0.5)).toBe('0.5 s')
  expect(formatExactDuration(604_800)).toBe('7 d')
})
