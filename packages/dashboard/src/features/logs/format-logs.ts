import type { Log } from '@millrace/contracts/log.ts'
import { stripAnsi } from '../../ui/ansi.ts'

export const levels = [
  { value: 0, label: 'All levels' },
  { value: 20, label: 'Info and up' },
  { value: 30, label: 'Warning and up' },
  { value: 40, label: 'Error and up' },
] as const

/** Name of a level. Clients may also use levels between the standard ones. */
export function levelName(level: number): string {
  if (level >= 50) return 'CRITICAL'
  if (level >= 40) return 'ERROR'
  if (level >= 30) return 'WARNING'
  if (level >= 20) return 'INFO'
  if (level >= 10) return 'DEBUG'
  return 'TRACE'
}

export function levelClass(level: number): string {
  if (level >= 40) return 'text-danger'
  if (level >= 30) return 'text-warning'
  return level >= 20 ? 'text-accent' : 'text-faint'
}

/** One line per log, without ANSI colours. */
export const formatLogs = (logs: readonly Log[]): string =>
  logs.map((log) => `${log.timestamp} ${levelName(log.level).padEnd(8)} ${log.name}: ${stripAnsi(log.message)}\n`).join('')
