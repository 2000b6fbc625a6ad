import type { DeploymentSchedule, Schedule } from '@millrace/contracts/schedule.ts'
import { parseDuration } from '../schema-form/iso-duration.ts'
import { toLocalInput, toZonedIso } from '../schema-form/zoned-time.ts'

/** Form values of a schedule, kept for every schedule type so that switching types loses nothing. */
export interface ScheduleDraft {
  readonly kind: 'interval' | 'cron' | 'rrule'
  readonly zone: string
  /** A duration such as `1 h 30 m`. */
  readonly every: string
  /** Local time in the zone. Empty to start now. */
  readonly anchor: string
  readonly cron: string
  readonly dayOr: boolean
  readonly rrule: string
  readonly active: boolean
  readonly slug: string
  readonly runsMax: string
  readonly parameters: unknown
}

export const newScheduleDraft = (zone: string): ScheduleDraft => ({
  kind: 'cron',
  zone,
  every: '1 h',
  anchor: '',
  cron: '0 9 * * *',
  dayOr: true,
  rrule: 'FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=9;BYMINUTE=0;BYSECOND=0',
  active: true,
  slug: '',
  runsMax: '',
  parameters: {},
})

const durationUnits = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const

/** `1 d 2 h`, exact: unlike `formatDuration`, it drops no units. */
export function formatExactDuration(seconds: number): string {
  let rest = seconds
  const parts: string[] = []
  for (const [unit, size] of durationUnits) {
    const amount = unit === 's' ? Math.round(rest * 1e6) / 1e6 : Math.floor(rest / size)
    rest -= amount * size
    if (amount > 0) parts.push(`${amount} ${unit}`)
  }
  return parts.join(' ') || '0 s'
}

export function toScheduleDraft({ schedule, active, slug, max_scheduled_runs, parameters }: DeploymentSchedule): ScheduleDraft {
  const zone = schedule.timezone || 'UTC'
  const shared = {
    ...newScheduleDraft(zone),
    active,
    slug: slug ?? '',
    runsMax: max_scheduled_runs === null ? '' : String(max_scheduled_runs),
    parameters,
  }
  if ('cron' in schedule) return { ...shared, kind: 'cron', cron: schedule.cron, dayOr: schedule.day_or ?? true }
  if ('rrule' in schedule) return { ...shared, kind: 'rrule', rrule: schedule.rrule }
  return {
    ...shared,
    kind: 'interval',
    every: formatExactDuration(schedule.interval),
    anchor: schedule.anchor_date ? toLocalInput(Date.parse(schedule.anchor_date), zone) : '',
  }
}

/** The schedule, or an error message. */
export function toSchedule({ kind, zone, every, anchor, cron, dayOr, rrule }: ScheduleDraft): Schedule | string {
  if (kind === 'cron') return cron.trim() === '' ? 'Enter a cron expression' : { cron: cron.trim(), timezone: zone, day_or: dayOr }
  if (kind === 'rrule') return rrule.trim() === '' ? 'Enter an RRULE' : { rrule: rrule.trim(), timezone: zone }
  const interval = parseDuration(every)
  if (interval === undefined || interval <= 0) return 'Enter an interval, such as 90 m or 1 d'
  const anchor_date = anchor === '' ? undefined : toZonedIso(anchor, zone)
  return { interval, timezone: zone, ...(anchor_date && { anchor_date }) }
}
