import type { Schedule } from '@millrace/contracts/schedule.ts'
import { formatDuration } from '../../ui/time-format.ts'

/** A schedule in a few words. */
export function scheduleText(schedule: Schedule): string {
  if ('cron' in schedule) return `${schedule.cron}${zoned(schedule.timezone)}`
  if ('interval' in schedule) return `every ${formatDuration(schedule.interval)}`
  return schedule.rrule
}

const zoned = (zone: string | null | undefined): string => (zone && zone !== 'UTC' ? ` (${zone})` : '')
