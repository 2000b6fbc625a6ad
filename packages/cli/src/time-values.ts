import { parseDuration } from '@millrace/server/lib/duration.ts'
import { InvalidArgumentError } from 'commander'

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }
const unitsPattern = /^(?:\d+(?:\.\d+)?[smhdw])+$/i
const numberPattern = /^\d+(?:\.\d+)?$/
const datePattern = /^\d{4}-\d{2}-\d{2}$/
const timePattern = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/
const zonePattern = /(?:Z|[+-]\d{2}:?\d{2})$/i

/** Seconds of `90`, `90s`, `5m`, `1h30m`, `2d`, `PT1H` or `01:30:00`. */
export function parseDurationOption(text: string): number {
  const seconds = durationSeconds(text)
  if (seconds === undefined || seconds <= 0) throw new InvalidArgumentError('It is not a duration such as 30s, 5m, 2h, 1d or PT1H.')
  return seconds
}

/** A time in the past: a duration before now such as `2h`, or a time such as `2026-05-01T12:00:00Z`. */
export function parsePastTime(text: string): string {
  const seconds = numberPattern.test(text) ? undefined : durationSeconds(text)
  if (seconds !== undefined) return secondsFromNow(-seconds)
  return isoTime(text, 'It is neither a duration such as 2h or 1d nor a time such as 2026-05-01T12:00:00Z.')
}

/** A time such as `2026-05-01T12:00:00Z`. Without a zone it is a local time. */
export const parseTimeOption = (text: string): string => isoTime(text, 'It is not a time such as 2026-05-01T12:00:00Z or 2026-05-01 12:00.')

/** The time that is this many seconds after now, for the API. */
export const secondsFromNow = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString()

function durationSeconds(text: string): number | undefined {
  const trimmed = text.replaceAll(/\s/g, '')
  if (numberPattern.test(trimmed)) return Number(trimmed)
  if (!unitsPattern.test(trimmed)) return parseDuration(trimmed)
  const parts = trimmed.toLowerCase().match(/\d+(?:\.\d+)?[smhdw]/g) ?? []
  return parts.reduce((sum, part) => sum + Number(part.slice(0, -1)) * (unitSeconds[part.slice(-1)] ?? 0), 0)
}

/** A time with a zone is passed on unchanged, because `Date` drops microseconds. */
function isoTime(text: string, message: string): string {
  const isDate = datePattern.test(text)
  if (!isDate && !timePattern.test(text)) throw new InvalidArgumentError(message)
  const time = Date.parse(isDate ? `${text}T00:00` : text)
  if (Number.isNaN(time)) throw new InvalidArgumentError(message)
  return !isDate && zonePattern.test(text) ? text : new Date(time).toISOString()
}
