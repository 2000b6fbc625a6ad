import type { Schedule } from '@millrace/contracts/schedule.ts'
import { lengthText } from './schedule-draft.ts'

const wordsMax = 60

/** A schedule in a few words. */
export function scheduleText(schedule: Schedule): string {
  if ('cron' in schedule) return `${schedule.cron}${zoned(schedule.timezone)}`
  if ('interval' in schedule) return `every ${lengthText(schedule.interval)}`
  // The start that the server puts before a rule says nothing of how it repeats.
  const rule = schedule.rrule.replace(/^DTSTART[^\n]*\n/i, '').replace(/^RRULE:/i, '')
  return `${rule.length > wordsMax ? `${rule.slice(0, wordsMax - 1)}…` : rule}${zoned(schedule.timezone)}`
}

const zoned = (zone: string | null | undefined): string => (zone && zone !== 'UTC' ? ` (${zone})` : '')
