const number = '(\\d+(?:\\.\\d+)?)'
const ISO = new RegExp(
  `^([+-])?P(?:${number}Y)?(?:${number}M)?(?:${number}W)?(?:${number}D)?(?:T(?:${number}H)?(?:${number}M)?(?:${number}S)?)?$`,
  'i',
)
const CLOCK = /^([+-])?(?:(\d+) ?d(?:ays?)?,? ?)?(?:(\d{1,2}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?)?$/i
const PLAIN = /^\s*[+-]?\d+(?:\.\d+)?\s*$/

/** The seconds of a duration in a setting: a plain number, or any form of `parseDuration`. */
export const parseDurationOrSeconds = (text: string): number | undefined => (PLAIN.test(text) ? Number(text) : parseDuration(text))

/** Parses ISO 8601 (`P7D`, `PT1H30M`; a year has 365 days and a month 30), `7d`, `01:30:00` or `7 days, 01:30:00`; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  if (!/\d/.test(text)) return undefined
  const [, sign, ...parts] = ISO.exec(text) ?? CLOCK.exec(text)?.toSpliced(2, 0, '0', '0', '0') ?? []
  if (parts.length === 0) return undefined
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0))
  const total = (years * 365 + months * 30 + weeks * 7 + days) * 86_400 + hours * 3600 + minutes * 60 + seconds
  return sign === '-' ? -total : total
}
