import type { Schedule } from '@millrace/contracts/schedule.ts'
import { formatExactDuration } from './schedule-draft.ts'

const charactersMax = 60

/** A short description of a schedule. */
export function formatSchedule(schedule: Schedule): string {
  if ('cron' in schedule) return `${schedule.cron}${zoneSuffix(schedule.timezone)}`
  if ('interval' in schedule) return `every ${formatExactDuration(schedule.interval)}`
  // The server adds DTSTART to a rule. It does not describe the repetition.
  const rule = schedule.rrule.replace(/^DTSTART[^\n]*\n/i, '').replace(/^RRULE:/i, '')
  return `${rule.length > charactersMax ? `${rule.slice(0, charactersMax - 1)}…` : rule}${zoneSuffix(schedule.timezone)}`
}

const zoneSuffix = (zone: string | null | undefined): string => (zone && zone !== 'UTC' ? ` (${zone})` : '')
