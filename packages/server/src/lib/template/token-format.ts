import { strftime } from './strftime.ts'

/** Tokens of the formats that `time.format()` takes, by the directives of strftime that say the same. */
const directives: Readonly<Record<string, string>> = {
  YYYY: '%Y',
  YY: '%y',
  MMMM: '%B',
  MMM: '%b',
  MM: '%m',
  M: '%-m',
  DDDD: '%j',
  DDD: '%-j',
  DD: '%d',
  D: '%-d',
  dddd: '%A',
  ddd: '%a',
  HH: '%H',
  H: '%-H',
  hh: '%I',
  h: '%-I',
  mm: '%M',
  m: '%-M',
  ss: '%S',
  s: '%-S',
  SSSSSS: '%f',
  A: '%p',
  X: '%s',
  ZZ: '%z',
  Z: '+00:00',
  z: 'UTC',
}

/** What stands in brackets stays as it is. */
const TOKEN = /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|DDDD|DDD|DD|D|dddd|ddd|HH|H|hh|h|mm|m|ss|s|SSSSSS|A|X|ZZ|Z|z/g

/** Writes a time by a format like `YYYY-MM-DD HH:mm`, in UTC. */
export const formatTokens = (micros: number, format: string): string =>
  format.replace(TOKEN, (token, kept?: string) => kept ?? strftime(micros, directives[token] as string))
