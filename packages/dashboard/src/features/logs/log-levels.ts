export const levels = [
  { value: 0, label: 'All levels' },
  { value: 20, label: 'Info and up' },
  { value: 30, label: 'Warning and up' },
  { value: 40, label: 'Error and up' },
] as const

/** The name of a level, which clients may also have between the usual ones. */
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
