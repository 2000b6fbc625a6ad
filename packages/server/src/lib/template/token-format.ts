import { strftime } from './strftime.ts'

/** The tokens of `time.format()` and their equivalent strftime directives. */
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

/** Text in brackets stays unchanged. */
const TOKEN = /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|DDDD|DDD|DD|D|dddd|ddd|HH|H|hh|h|mm|m|ss|s|SSSSSS|A|X|ZZ|Z|z/g

/** Formats a time in UTC by a format such as `YYYY-MM-DD HH:mm`. */
export const formatTokens = (micros: number, format: string): string =>
  format.replace(TOKEN, (token, kept?: string) => kept ?? strftime(micros, directives[token] as string))
