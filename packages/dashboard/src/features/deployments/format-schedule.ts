import type { Schedule } from '@millrace/contracts/schedule.ts'
import { formatExactDuration } from './schedule-draft.ts'

const charactersMax = 60

/** A schedule in a few words. */
export function formatSchedule(schedule: Schedule): string {
  if ('cron' in schedule) return `${schedule.cron}${zoneSuffix(schedule.timezone)}`
  if ('interval' in schedule) return `every ${formatExactDuration(schedule.interval)}`
  // The start that the server puts before a rule says nothing of how it repeats.
  const rule = schedule.rrule.replace(/^DTSTART[^\n]*\n/i, '').replace(/^RRULE:/i, '')
  return `${rule.length > charactersMax ? `${rule.slice(0, charactersMax - 1)}…` : rule}${zoneSuffix(schedule.timezone)}`
}

const zoneSuffix = (zone: string | null | undefined): string => (zone && zone !== 'UTC' ? ` (${zone})` : '')
