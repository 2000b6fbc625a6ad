import { formatTime, MICROS_PER_DAY } from '../time.ts'
import type { Budget } from './budget.ts'
import { spendOnIntegers } from './numbers.ts'
import { isDict, isList, type Key, type NativeFunction, TemplateObject, Time, TimeSpan, Tuple, Undefined, type Value } from './values.ts'

/**
 * The text form of a value as in Python, which existing templates were written for. A list may contain one long text a thousand times, so
 * each part spends from the budget before it is written.
 */
export function toText(value: Value, budget: Budget): string {
  if (typeof value === 'string') return value
  if (value instanceof Undefined) return ''
  if (value instanceof TemplateObject && value.text !== undefined) return value.text
  return toRepr(value, budget)
}

/** The text form within a container: strings are quoted. */
export function toRepr(value: Value, budget: Budget): string {
  budget.spend()
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value === 'string') return quoted(value, budget)
  if (typeof value === 'bigint') {
    spendOnIntegers(budget, value)
    return String(value)
  }
  if (typeof value === 'number') return floatText(value)
  if (value instanceof Undefined) return 'Undefined'
  if (isList(value)) return `[${toReprs(value, budget)}]`
  if (isDict(value)) return dictText(value, budget)
  if (value instanceof Tuple) return `(${toReprs(value.items, budget)}${value.items.length === 1 ? ',' : ''})`
  if (value instanceof TemplateObject) {
    return value.text === undefined ? dictText(value.items.size > 0 ? value.items : value.fields, budget) : quoted(value.text, budget)
  }
  if (value instanceof Time) return timeText(value)
  if (value instanceof TimeSpan) return spanText(value)
  return `<function ${(value as NativeFunction).name}>`
}

const toReprs = (values: readonly Value[], budget: Budget): string => budget.nested(() => values.map((value) => toRepr(value, budget)).join(', '))

const dictText = (dict: ReadonlyMap<Key, Value>, budget: Budget): string =>
  budget.nested(() => `{${[...dict].map(([key, inner]) => `${toRepr(key, budget)}: ${toRepr(inner, budget)}`).join(', ')}}`)

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be spelled out
const unprintable = /[\u0000-\u001f\u007f-\u00a0\u00ad\u2028\u2029\\]/g
const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' }

function quoted(text: string, budget: Budget): string {
  budget.spendOnText(text.length)
  return quotedText(text)
}

export function quotedText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = text.replace(unprintable, (mark) => escapes[mark] ?? codeText(mark.charCodeAt(0)))
  return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`
}

const codeText = (code: number): string => (code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`)

/** `1.0`, `0.1`, `1e+16`, `1e-05`: the shortest digits as in JavaScript, in the notation of Python. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  const [digits = '0', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  if (exponent < -4 || exponent >= 16) {
    return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  if (Object.is(value, -0)) return '-0.0'
  const plain = String(value)
  if (/[.]/.test(plain)) return plain.includes('e') ? smallText(value) : plain
  return plain.includes('e') ? smallText(value) : `${plain}.0`
}

/** JavaScript uses exponents below a millionth. */
const smallText = (value: number): string => value.toFixed(20).replace(/0+$/, '')

/** `2030-01-01 09:30:00+00:00`, with a fraction unless it is zero. */
export const timeText = ({ micros }: Time): string => isoText(micros, ' ')

export function isoText(micros: number, between: string): string {
  const [date = '', clock = ''] = formatTime(micros).slice(0, -1).split('T')
  return `${date}${between}${clock}+00:00`
}

/** `1 day, 2:03:04.500000`. */
export function spanText({ micros }: TimeSpan): string {
  const days = Math.floor(micros / MICROS_PER_DAY)
  const rest = micros - days * MICROS_PER_DAY
  const seconds = Math.floor(rest / 1_000_000)
  const fraction = rest - seconds * 1_000_000
  const two = (part: number): string => String(part).padStart(2, '0')
  const clock = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  const dayText = days === 0 ? '' : `${days} day${Math.abs(days) === 1 ? '' : 's'}, `
  return `${dayText}${clock}${fraction === 0 ? '' : `.${String(fraction).padStart(6, '0')}`}`
}
