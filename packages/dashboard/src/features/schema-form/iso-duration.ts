import { ownEntry } from '../../own-entry.ts'

const isoPattern = /^P(?!$)(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?=\d)(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/
const units: Readonly<Record<string, number>> = { w: 604_800, d: 86_400, h: 3600, m: 60, min: 60, s: 1 }
const amountPattern = /(\d+(?:\.\d+)?)\s*(w|d|h|min|m|s)[a-z]*/gi

/** Seconds of an ISO 8601 duration (`PT1H30M`) or of text such as `1 h 30 m` or `90`. Undefined for other text. */
export function parseDuration(text: string): number | undefined {
  const typed = text.trim()
  const parts = isoPattern.exec(typed.toUpperCase())
  if (parts) return [604_800, 86_400, 3600, 60, 1].reduce((sum, size, index) => sum + size * Number(parts[index + 1] ?? 0), 0)
  if (/^\d+(?:\.\d+)?$/.test(typed)) return Number(typed)
  if (typed.replace(amountPattern, '').trim() !== '' || typed === '') return undefined
  return [...typed.matchAll(amountPattern)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (ownEntry(units, unit.toLowerCase()) ?? 0),
    0,
  )
}

/** Formats seconds as `PT1H30M`. A day has 24 hours. */
export function formatIsoDuration(seconds: number): string {
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor((seconds % 86_400) / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  const rest = Math.round((seconds % 60) * 1e6) / 1e6
  const time = `${hours > 0 ? `${hours}H` : ''}${minutes > 0 ? `${minutes}M` : ''}${rest > 0 ? `${rest}S` : ''}`
  return `P${days > 0 ? `${days}D` : ''}${time ? `T${time}` : ''}`.replace(/^P$/, 'PT0S')
}
