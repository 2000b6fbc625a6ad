import { dayNumber, isCivil, SECONDS_PER_DAY } from './calendar.ts'

export interface RRuleDate {
  /** The digits, read as a wall-clock time. */
  local: number
  /** It names UTC or an offset, which is not what counts: see `rrule-text.ts`. */
  zoned: boolean
}

const PATTERN = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/

/** `20310101`, `20310101T0930`, `20310101T093000Z` and the same with dashes and colons. */
export function readRRuleDate(text: string): RRuleDate | undefined {
  const match = PATTERN.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (!isCivil({ year, month, day }) || hour > 23 || minute > 59 || second > 59) return undefined
  return { local: dayNumber({ year, month, day }) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second, zoned: match[7] !== undefined }
}
