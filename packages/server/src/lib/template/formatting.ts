import type { Budget } from './budget.ts'
import { TemplateError } from './errors.ts'
import { groupDigits, parseDigits, spendOnIntegers, toFixed } from './numbers.ts'
import { strftime } from './strftime.ts'
import { floatText, toRepr, toText } from './to-text.ts'
import { type Arguments, isDict, isNumber, type RenderState, Time, Tuple, typeName, Undefined, type Value } from './values.ts'

/** The numbers of flags and digits are limited: both may be zeros, and backtracking over long runs is quadratic. */
const PRINTF = /%(?:\((\w+)\))?([-+ 0#]{0,10})(\d{1,9})?(?:\.(\d{1,9}))?([a-zA-Z%])/g

/** `'%s of %d' % (a, b)`, also by name: `'%(a)s'`. */
export function printf(format: string, given: Value, budget: Budget): string {
  budget.spendOnText(format.length)
  const values = given instanceof Tuple ? given.items : [given]
  let used = 0
  const text = format.replace(PRINTF, (_whole, name?: string, flags = '', width?: string, precision?: string, letter = '') => {
    if (letter === '%') return '%'
    const value = name === undefined ? values[used] : isDict(given) ? given.get(name) : undefined
    if (name === undefined) used += 1
    if (value === undefined) throw new TemplateError('not enough arguments for format string')
    return formatPrintf(
      value,
      { flags, width: Number(width ?? 0), precision: precision === undefined ? undefined : Number(precision), letter },
      budget,
    )
  })
  if (!isDict(given) && used < values.length && !(values.length === 1 && used === 0 && given instanceof Undefined)) {
    throw new TemplateError('too many arguments for format string')
  }
  return text
}

interface PrintfOptions {
  readonly flags: string
  readonly width: number
  readonly precision: number | undefined
  readonly letter: string
}

function formatPrintf(value: Value, { flags, width, precision, letter }: PrintfOptions, budget: Budget): string {
  const align = flags.includes('-') ? '<' : '>'
  const zero = flags.includes('0') && align === '>'
  const sign = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '-'
  if (letter === 's' || letter === 'r' || letter === 'a') {
    const text = letter === 's' ? toText(value, budget) : toRepr(value, budget)
    return pad(precision === undefined ? text : text.slice(0, precision), width, align, ' ', budget)
  }
  if (!isNumber(value)) throw new TemplateError(`%${letter} format: a number is required, not ${typeName(value)}`)
  const type = letter === 'i' || letter === 'u' ? 'd' : letter
  const number = numberText(type === 'd' ? truncated(value) : value, { sign, precision, type, grouping: '' }, budget)
  return zero ? padWithZeros(number, width, budget) : pad(number, width, align, ' ', budget)
}

const truncated = (value: boolean | bigint | number): bigint => {
  if (typeof value !== 'number') return BigInt(value)
  if (!Number.isFinite(value)) throw new TemplateError('The number is not finite')
  return BigInt(Math.trunc(value))
}

/** Brackets that are not closed are each looked for to the end. */
const pathMax = 1000

/** `'{} of {1} and {name:>10.2f}'.format(…)`; attributes and items are looked up as in templates, so that nothing more is reached. */
export function formatBraces(format: string, args: Arguments, run: RenderState): string {
  const { budget } = run
  let next = 0
  return format.replace(/\{\{|\}\}|\{([^{}]*)\}/g, (whole, field?: string) => {
    if (field === undefined) return whole[0] as string
    budget.spend()
    const [, path = '', conversion, spec = ''] = /^([^:!]*)(?:!([rsa]))?(?::(.*))?$/s.exec(field) ?? []
    if (path.length > pathMax) throw new TemplateError(`A field of a format may have ${pathMax} characters at most`)
    const [first = ''] = /^[^.[]*/.exec(path) ?? []
    let value = first === '' ? args.positional[next++] : /^\d+$/.test(first) ? args.positional[Number(first)] : args.named.get(first)
    if (value === undefined) throw new TemplateError(`There is no value for {${field}}`)
    for (const step of path.slice(first.length).matchAll(/\.(\w+)|\[([^\]]*)\]/g)) {
      value = step[1] === undefined ? run.item(value, keyOf(step[2] as string)) : run.attribute(value, step[1])
    }
    return formatWithSpec(conversion === undefined || conversion === 's' ? value : toRepr(value, budget), spec, budget)
  })
}

const keyOf = (text: string): Value => (/^\d+$/.test(text) ? parseDigits(text) : text)

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su

function formatWithSpec(value: Value, spec: string, budget: Budget): string {
  if (spec === '') return toText(value, budget)
  if (value instanceof Time) return strftime(value.micros, spec)
  const match = SPEC.exec(spec)
  if (!match) throw new TemplateError(`Invalid format ${JSON.stringify(spec)}`)
  const [, fill = ' ', align, sign = '-', , zero, width = '0', grouping = '', precision, type] = match
  const digits = precision === undefined ? undefined : Number(precision)
  if (!isNumber(value) || typeof value === 'boolean') {
    const text = toText(value, budget)
    return pad(digits === undefined ? text : text.slice(0, digits), Number(width), align ?? '<', fill, budget)
  }
  const text = numberText(value, { sign, precision: digits, type: type ?? '', grouping }, budget)
  if (align === '=' || (zero !== undefined && align === undefined)) return padWithZeros(text, Number(width), budget)
  return pad(text, Number(width), align ?? '>', fill, budget)
}

interface NumberFormat {
  readonly sign: string
  readonly precision: number | undefined
  readonly type: string
  readonly grouping: string
}

function numberText(value: boolean | bigint | number, { sign, precision, type, grouping }: NumberFormat, budget: Budget): string {
  spendOnIntegers(budget, value)
  const number = typeof value === 'number' ? value : BigInt(value)
  const negative = number < 0 || Object.is(number, -0)
  const body = magnitudeText(negative ? (typeof number === 'bigint' ? -number : -number) : number, precision, type)
  const shown = grouping === '' ? body : body.replace(/^\d+/, (whole) => groupDigits(whole, grouping))
  return `${negative ? '-' : sign === '-' ? '' : sign}${shown}`
}

const bases: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16 }

function magnitudeText(value: bigint | number, precision: number | undefined, type: string): string {
  const digits = Math.min(precision ?? 6, 100)
  if (type in bases) {
    if (typeof value !== 'bigint') throw new TemplateError(`The format ${type} is for whole numbers`)
    const text = value.toString(bases[type])
    return type === 'X' ? text.toUpperCase() : text
  }
  switch (type) {
    case '':
      return typeof value === 'bigint' ? String(value) : precision === undefined ? floatText(value) : shortText(value, digits)
    case 'd':
    case 'n':
      if (typeof value !== 'bigint') throw new TemplateError('The format d is for whole numbers')
      return String(value)
    case 'f':
    case 'F':
      return toFixed(Number(value), digits)
    case 'e':
    case 'E': {
      const text = exponentText(Number(value), digits)
      return type === 'E' ? text.toUpperCase() : text
    }
    case 'g':
    case 'G':
      return shortText(Number(value), digits)
    case '%':
      return `${toFixed(Number(value) * 100, digits)}%`
    default:
      throw new TemplateError(`Unknown format ${type}`)
  }
}

const exponentText = (value: number, digits: number): string => value.toExponential(digits).replace(/e([+-])(\d)$/, 'e$10$2')

function shortText(value: number, digits: number): string {
  const exponent = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)))
  const significant = Math.max(digits, 1)
  if (exponent < -4 || exponent >= significant) return exponentText(value, significant - 1).replace(/\.?0+e/, 'e')
  return String(Number(value.toPrecision(significant)))
}

function padWithZeros(text: string, width: number, budget: Budget): string {
  budget.spendOnText(width)
  const sign = /^[-+ ]/.test(text) ? text.slice(0, 1) : ''
  return sign + text.slice(sign.length).padStart(width - sign.length, '0')
}

function pad(text: string, width: number, align: string, fill: string, budget: Budget): string {
  budget.spendOnText(width)
  const left = Math.max(0, width - [...text].length)
  if (align === '<') return text + fill.repeat(left)
  if (align === '>') return fill.repeat(left) + text
  return fill.repeat(Math.floor(left / 2)) + text + fill.repeat(left - Math.floor(left / 2))
}
