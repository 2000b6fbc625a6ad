import { parseJson } from '../../api/json.ts'
import { Unfinished } from './field-kind.ts'

/** A number that JavaScript cannot hold, kept as it was written. */
export const isRaw = (value: unknown): value is { readonly rawJSON: string } =>
  (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON?.(value) ?? false

/** Reads JSON as it was written, whatever the size of its numbers. The blank is for a number that stands alone. */
export function readJson(text: string): unknown {
  try {
    return parseJson(` ${text}`)
  } catch {
    return new Unfinished(text, 'This is not JSON yet')
  }
}

export const jsonText = (value: unknown): string => (value instanceof Unfinished ? value.text : (JSON.stringify(value, null, 2) ?? ''))

const whole = /^[+-]?\d+$/
const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** A number as it is typed; an integer keeps all of its digits. */
export function readNumber(text: string, kind: 'number' | 'integer'): unknown {
  const typed = text.trim()
  if (typed === '') return undefined
  if (whole.test(typed)) return readJson(typed.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1'))
  if (kind === 'integer') return new Unfinished(text, 'This is not a whole number')
  return number.test(typed) ? Number(typed) : new Unfinished(text, 'This is not a number')
}

export function numberText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (isRaw(value)) return value.rawJSON
  return value instanceof Unfinished ? value.text : String(value)
}

/** The same value, whoever made it. */
export const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)
