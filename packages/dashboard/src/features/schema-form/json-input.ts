import { parseJson } from '@millrace/client/json.ts'
import { UnparsedInput } from './field-kind.ts'

/** A number that JavaScript cannot represent, kept as text. */
export const isRawNumber = (value: unknown): value is { readonly rawJSON: string } =>
  (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON?.(value) ?? false

/** Parses JSON and keeps large numbers exact. The added blank ends a lone number. */
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

/** Parses a typed number. An integer keeps all digits. */
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

/** Compares values by their JSON. */
export const isSameJson = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)
