/** `12,345`. */
export const formatNumber = (value: number): string => String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** `██████░░░░`: a share from 0 to 1. */
export function formatBar(share: number, width: number): string {
  const filled = Math.round(share * width)
  return '█'.repeat(filled) + '░'.repeat(width - filled)
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `512 B`, `1.5 MB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}
