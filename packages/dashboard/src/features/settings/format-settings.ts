const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** `5.8 MB`: three digits at most. */
export function formatBytes(bytes: number): string {
  let size = bytes
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit += 1
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}

/** Which database an address leads to. */
export const databaseKind = (url: unknown): string =>
  typeof url !== 'string' ? 'unknown' : /^postgres/i.test(url) ? 'PostgreSQL' : url.includes(':memory:') ? 'SQLite, in memory' : 'SQLite'

/** Below this a difference is the round trip to the database. */
const skewToleranceSeconds = 0.5

/** Whose clock the server uses, and how far this machine's is from it. */
export function formatClock({ source, skew_seconds }: { readonly source: 'database' | 'machine'; readonly skew_seconds: number }): string {
  if (source === 'machine') return 'Server clock'
  if (Math.abs(skew_seconds) < skewToleranceSeconds) return 'Database clock; server clock in sync'
  return `Database clock; server clock is ${Math.abs(skew_seconds).toFixed(1)} s ${skew_seconds > 0 ? 'ahead' : 'behind'}`
}

/** `server.api.auth_string` and its value, one row each. */
export function flattenSettings(settings: Readonly<Record<string, unknown>>, at = ''): { place: string; value: unknown }[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    const place = at === '' ? key : `${at}.${key}`
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flattenSettings(value as Record<string, unknown>, place)
      : [{ place, value }]
  })
}

/** The variable by which a setting is set. */
export const environmentVariable = (place: string): string => `MILLRACE_${place.replaceAll('.', '_').toUpperCase()}`
