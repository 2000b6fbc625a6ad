const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** `5.8 MB`: at most three digits. */
export function formatBytes(bytes: number): string {
  let size = bytes
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit += 1
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}

/** Kind of database of a URL. */
export const databaseKind = (url: unknown): string =>
  typeof url !== 'string' ? 'unknown' : /^postgres/i.test(url) ? 'PostgreSQL' : url.includes(':memory:') ? 'SQLite, in memory' : 'SQLite'

/** Smaller differences are the round trip to the database. */
const skewToleranceSeconds = 0.5

/** Clock that the server uses, and the skew of the server clock. */
export function formatClock({ source, skew_seconds }: { readonly source: 'database' | 'machine'; readonly skew_seconds: number }): string {
  if (source === 'machine') return 'Server clock'
  if (Math.abs(skew_seconds) < skewToleranceSeconds) return 'Database clock; server clock in sync'
  return `Database clock; server clock is ${Math.abs(skew_seconds).toFixed(1)} s ${skew_seconds > 0 ? 'ahead' : 'behind'}`
}

/** One row per setting, e.g. `server.api.auth_string`. */
export function flattenSettings(settings: Readonly<Record<string, unknown>>, at = ''): { path: string; value: unknown }[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    const path = at === '' ? key : `${at}.${key}`
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flattenSettings(value as Record<string, unknown>, path)
      : [{ path, value }]
  })
}

/** Environment variable of a setting. */
export const environmentVariable = (path: string): string => `MILLRACE_${path.replaceAll('.', '_').toUpperCase()}`
