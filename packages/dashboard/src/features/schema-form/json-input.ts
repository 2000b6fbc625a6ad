import { parseJson } from '../../json.ts'
import { UnparsedInput } from './field-kind.ts'

/** A number that JavaScript cannot hold, kept as it was written. */
export const isRawNumber = (value: unknown): value is { readonly rawJSON: string } =>
  (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON?.(value) ?? false

/** Reads JSON as it was written, whatever the size of its numbers. The blank is for a number that stands alone. */
export function parseJsonInput(text: string): unknown {
  try {
    return parseJson(` ${text}`)
  } catch {
    return new UnparsedInput(text, 'Invalid JSON')
  }
}

export const formatJsonInput = (value: unknown): string => (value instanceof UnparsedInput ? value.text : (JSON.stringify(value, null, 2) ?? ''))

const integerPattern = /^[+-]?\d+$/
const numberPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** A number as it is typed; an integer keeps all of its digits. */
export function parseNumberInput(text: string, kind: 'number' | 'integer'): unknown {
  const typed = text.trim()
  if (typed === '') return undefined
  if (integerPattern.test(typed)) return parseJsonInput(typed.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1'))
  if (kind === 'integer') return new UnparsedInput(text, 'Must be a whole number')
  return numberPattern.test(typed) ? Number(typed) : new UnparsedInput(text, 'Must be a number')
}

export function formatNumberInput(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (isRawNumber(value)) return value.rawJSON
  return value instanceof UnparsedInput ? value.text : String(value)
}

/** The same value, whoever made it. */
export const isSameJson = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)
