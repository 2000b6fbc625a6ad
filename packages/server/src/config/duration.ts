const unitSeconds = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 }
const number = '(\\d+(?:\\.\\d+)?)'
const iso = new RegExp(`^P(?:${number}W)?(?:${number}D)?(?:T(?:${number}H)?(?:${number}M)?(?:${number}S)?)?$`, 'i')
const clock = /^(?:(\d+) ?d(?:ays?)?,? ?)?(?:(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?)?$/i

/** The seconds of a span of time: plain seconds, ISO 8601 (`P7D`, `PT1H30M`), `7d`, `1:30:00` or `7 days, 01:30:00`. Undefined when it is none. */
export function durationSeconds(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  const parts = /\d/.test(text) ? (iso.exec(text)?.slice(1) ?? clock.exec(text)?.toSpliced(0, 1, '0')) : undefined
  if (!parts) return undefined
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0))
  return weeks * unitSeconds.w + days * unitSeconds.d + hours * unitSeconds.h + minutes * unitSeconds.m + seconds
}
