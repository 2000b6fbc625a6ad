import type { Schedule } from '@millrace/contracts/schedule.ts'

const units = [
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const

/** `0 * * * * (Europe/Berlin)`, `every 1h30m`, `FREQ=DAILY` */
export function scheduleText(schedule: Schedule): string {
  if ('cron' in schedule) return `${schedule.cron}${zoneText(schedule.timezone)}`
  if ('interval' in schedule) return `every ${intervalText(schedule.interval)}`
  // The server adds DTSTART to a rule. It does not describe the repetition.
  return `${schedule.rrule.replace(/^DTSTART[^\n]*\n/i, '').replace(/^RRULE:/i, '')}${zoneText(schedule.timezone)}`
}

const zoneText = (zone: string | null | undefined): string => (zone && zone !== 'UTC' ? ` (${zone})` : '')

/** Without loss, in the form that `--interval` accepts. */
function intervalText(seconds: number): string {
  let rest = seconds
  let text = ''
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size)
    if (count > 0) text += `${count}${unit}`
    rest -= count * size
  }
  const left = Math.round(rest * 1e6) / 1e6
  return left > 0 || text === '' ? `${text}${left}s` : text
}
