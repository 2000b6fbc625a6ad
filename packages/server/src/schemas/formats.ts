import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { parseTime } from '../lib/time.ts'

const dateTime = /^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
const isDateTime = (text: string): boolean => dateTime.test(text) && isDate(text.slice(0, 10))
const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && parseTime(text) !== undefined

function isRegex(text: string): boolean {
  try {
    return new RegExp(text) !== undefined
  } catch {
    return false
  }
}

/** The validated formats. Any other format of a schema is only a hint. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  'date-time': isDateTime,
  time: (text) => isDateTime(`1970-01-01T${text}`),
  email: (text) => text.includes('@'),
  'idn-email': (text) => text.includes('@'),
  'idn-hostname': (text) => domainToASCII(text) !== '',
  ipv4: isIPv4,
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  'json-pointer': (text) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text),
  'relative-json-pointer': (text) => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/.test(text),
  regex: isRegex,
  uuid: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
}
