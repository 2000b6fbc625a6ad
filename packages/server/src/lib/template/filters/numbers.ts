import { bindArguments, expectInteger, expectNumber, expectText } from '../arguments.ts'
import { TemplateError } from '../errors.ts'
import { groupDigits, roundHalfEven } from '../numbers.ts'
import { floatText, toText } from '../to-text.ts'
import { type Filter, isNumber, isTruthy, TimeSpan, Undefined, type Value } from '../values.ts'

const abs: Filter = (_run, value) => {
  if (value instanceof TimeSpan) return new TimeSpan(Math.abs(value.micros))
  if (typeof value === 'bigint') return value < 0n ? -value : value
  const number = Math.abs(expectNumber(value))
  return typeof value === 'boolean' ? BigInt(number) : number
}

const int: Filter = (run, value, args) => {
  const { default: otherwise, base } = bindArguments('int', args, 'default', 'base')
  refuseUndefined(value)
  if (typeof value === 'string') {
    // Other bases are parsed digit by digit.
    run.budget.spendOnText(32 * Math.min(value.length, 1000))
    const known = parseWhole(value.trim(), expectInteger(base, 10))
    if (known !== undefined) return known
    const float = parseFloatText(value)
    return float !== undefined && Number.isFinite(float) ? BigInt(Math.trunc(float)) : (otherwise ?? 0n)
  }
  run.budget.spend()
  if (isNumber(value)) return typeof value === 'number' ? (Number.isFinite(value) ? BigInt(Math.trunc(value)) : (otherwise ?? 0n)) : BigInt(value)
  return otherwise ?? 0n
}

const prefixes: Readonly<Record<number, string>> = { 2: '0b', 8: '0o', 16: '0x' }

function parseWhole(given: string, base: number): bigint | undefined {
  const [, sign = '', digits = ''] = /^([+-]?)(.*)$/s.exec(given) ?? []
  const bare = digits.replace(/(?<=\w)_(?=\w)/g, '')
  const prefix = prefixes[base]
  const body = prefix && bare.toLowerCase().startsWith(prefix) ? bare.slice(2) : bare
  const allowed = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, base)
  if (body === '' || body.length > 1000 || [...body.toLowerCase()].some((mark) => !allowed.includes(mark))) return undefined
  const value = base === 10 ? BigInt(body) : [...body.toLowerCase()].reduce((sum, mark) => sum * BigInt(base) + BigInt(allowed.indexOf(mark)), 0n)
  return sign === '-' ? -value : value
}

/** Longer than any number. The pattern takes quadratic time to reject a text. */
const digitsMax = 400

function parseFloatText(given: string): number | undefined {
  if (given.length > digitsMax) return undefined
  const bare = given.trim().replace(/(?<=\d)_(?=\d)/g, '')
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(bare)) return Number(bare)
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(bare)
  if (!word) return undefined
  return word[2]?.toLowerCase() === 'nan' ? Number.NaN : word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

const float: Filter = (_run, value, args) => {
  const { default: otherwise } = bindArguments('float', args, 'default')
  refuseUndefined(value)
  if (isNumber(value)) return Number(value)
  return (typeof value === 'string' ? parseFloatText(value) : undefined) ?? otherwise ?? 0
}

function refuseUndefined(value: Value): void {
  if (value instanceof Undefined) throw new TemplateError(`'${value.name}' is undefined`)
}

const round: Filter = (_run, value, args) => {
  const { precision, method } = bindArguments('round', args, 'precision', 'method')
  const digits = expectInteger(precision, 0)
  if (Math.abs(digits) > 100) throw new TemplateError('round takes a precision up to 100')
  const how = expectText(method, 'common')
  const number = expectNumber(value)
  if (how === 'ceil' || how === 'floor') return Math[how](number * 10 ** digits) / 10 ** digits
  if (how !== 'common') throw new TemplateError('method must be common, ceil or floor')
  if (typeof value === 'bigint' && digits >= 0) return value
  const rounded = roundHalfEven(number, digits)
  return typeof value === 'bigint' ? BigInt(rounded) : rounded
}

const sizes = (binary: boolean): readonly string[] =>
  binary ? ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB', 'YiB'] : ['kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB']

/** `1 Byte`, `1.5 kB`; the variant of humanize writes `Bytes` and accepts a format. */
const filesize: Filter = (run, value, args) => {
  const { binary } = bindArguments('filesizeformat', args, 'binary')
  const bytes = typeof value === 'string' ? parseFloatText(value) : expectNumber(value)
  if (bytes === undefined) throw new TemplateError('The file size must be a number')
  const units = sizes(binary !== undefined && isTruthy(binary))
  const step = binary !== undefined && isTruthy(binary) ? 1024 : 1000
  run.budget.spend()
  if (bytes === 1) return '1 Byte'
  if (bytes < step) return `${Math.trunc(bytes)} Bytes`
  let amount = bytes
  let unit = ''
  for (unit of units) {
    amount /= step
    if (amount < step) break
  }
  return `${amount.toFixed(1)} ${unit}`
}

const intcomma: Filter = (run, value) => {
  const plain = typeof value === 'number' ? floatText(value) : toText(value, run.budget)
  if (plain.length > 3 * digitsMax) return plain
  return plain.replace(/^(-?)(\d+)/, (_whole, sign: string, digits: string) => sign + groupDigits(digits, ','))
}

const ordinal: Filter = (run, value) => {
  const number = typeof value === 'bigint' ? value : int(run, value, { positional: [], named: new Map() })
  const digits = toText(number, run.budget)
  const suffix = /1[123]$/.test(digits) ? 'th' : (({ 1: 'st', 2: 'nd', 3: 'rd' } as Record<string, string>)[digits.slice(-1)] ?? 'th')
  return digits + suffix
}

function wholeOf(value: Value): bigint | undefined {
  if (typeof value === 'string') return parseWhole(value.trim(), 10)
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined
  return isNumber(value) ? BigInt(value) : undefined
}

const powers = [
  'thousand',
  'million',
  'billion',
  'trillion',
  'quadrillion',
  'quintillion',
  'sextillion',
  'septillion',
  'octillion',
  'nonillion',
  'decillion',
]

/** `1.2 million`. */
const intword: Filter = (run, value) => {
  const whole = wholeOf(value)
  if (whole === undefined) return toText(value, run.budget)
  const amount = Number(whole)
  const most = Math.abs(amount)
  if (most < 1000) return String(whole)
  let power = Math.min(Math.floor(Math.log10(most) / 3), powers.length)
  // 999,999 rounds to a million.
  if (Number((most / 1000 ** power).toFixed(1)) >= 1000 && power < powers.length) power += 1
  return `${amount < 0 ? '-' : ''}${(most / 1000 ** power).toFixed(1)} ${powers[power - 1]}`
}

const digits = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

const apnumber: Filter = (run, value) => {
  const whole = wholeOf(value)
  return (whole !== undefined && digits[Number(whole)]) || toText(value, run.budget)
}

export const numberFilters: Readonly<Record<string, Filter>> = {
  abs,
  int,
  float,
  round,
  filesizeformat: filesize,
  humanize_naturalsize: filesize,
  humanize_intcomma: intcomma,
  humanize_intword: intword,
  humanize_apnumber: apnumber,
  humanize_ordinal: ordinal,
}
