import { InvalidArgumentError } from 'commander'

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** Seconds of `90s`, `15m`, `2h`, `1d`, `1w` or a combination such as `1h30m`. */
export function parseDurationOption(text: string): number {
  const seconds = durationSeconds(text)
  if (seconds === undefined) throw new InvalidArgumentError('It is not a duration such as 90s, 15m, 2h or 1d.')
  return seconds
}

/** RFC 3339 of a time, or of a duration before now. */
export function parsePastOption(text: string): string {
  const seconds = durationSeconds(text)
  const time = seconds === undefined ? parseTime(text) : Date.now() - seconds * 1000
  if (time === undefined) throw new InvalidArgumentError('It is neither a time such as 2026-01-31T12:00 nor a duration before now such as 2h.')
  return new Date(time).toISOString()
}

function durationSeconds(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?[smhdw])+$/.test(text)) return undefined
  return [...text.matchAll(/([\d.]+)([smhdw])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * (unitSeconds[unit as string] as number), 0)
}

/** A time without a zone is local, also a date alone, which JavaScript reads as UTC. */
function parseTime(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return undefined
  const time = Date.parse(text.length === 10 ? `${text}T00:00` : text.replace(' ', 'T'))
  return Number.isNaN(time) ? undefined : time
}
