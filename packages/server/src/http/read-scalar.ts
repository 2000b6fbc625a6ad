import type { Fault } from '../errors.ts'
import { parseDuration } from '../lib/duration.ts'
import { parseUuid } from '../lib/ids.ts'
import { ExactNumber } from '../lib/json-exact.ts'
import { isStorable } from '../lib/storable-text.ts'
import { dropZeroFraction, isRfc3339, normaliseTime, normaliseUnixTime } from '../lib/time.ts'

/**
 * Reads a value. If it adds a fault, the result is not used. The locations of the faults start at the value, and the caller adds its own part: nearly
 * all values have no faults, and a list of the steps to each value would cost more than reading it.
 */
export type Read = (value: unknown, faults: Fault[]) => unknown

/** Adds the steps to a value in front of the locations of its faults. */
export function prefixFaults(faults: Fault[], from: number, steps: readonly (string | number)[]): void {
  for (let index = from; index < faults.length; index += 1) {
    const fault = faults[index] as Fault
    // A copy, because the reader of a union keeps the faults of a value.
    faults[index] = { ...fault, loc: [...steps, ...fault.loc] }
  }
}

export interface Scalar {
  readonly type?: string
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly 'x-text'?: boolean
  readonly 'x-bytes-max'?: number
  readonly 'x-as-sent'?: boolean
}

type FaultDetails = Omit<Fault, 'loc' | 'input'>
type Outcome = { readonly value: unknown } | FaultDetails

const fault = (type: string, msg: string, ctx?: Record<string, unknown>): FaultDetails => (ctx ? { type, msg, ctx } : { type, msg })

/** Reads strings, numbers and booleans as leniently as the v3 API does: `"2"` is an integer, `"yes"` is true. */
export function readScalar(schema: Scalar): Read {
  const coerce = coercerOf(schema)
  return (value, faults) => {
    const outcome = coerce(value instanceof ExactNumber ? value.value : value)
    if ('value' in outcome) return outcome.value
    faults.push({ loc: [], ...outcome, input: value })
    return undefined
  }
}

/** Longer texts are not a number, time or id. Parsing a million digits would only take time. */
const scalarCharactersMax = 400

const limitLength =
  (coerce: (value: unknown) => Outcome) =>
  (value: unknown): Outcome =>
    coerce(typeof value === 'string' && value.length > scalarCharactersMax ? '' : value)

function coercerOf(schema: Scalar): (value: unknown) => Outcome {
  if (schema.const !== undefined) return coerceConstant(schema.const)
  if (schema.enum) return coerceEnum(schema.enum)
  if (schema.type === 'boolean') return limitLength(coerceBoolean)
  if (schema.format === 'time-delta') return limitLength((value) => checkRange(schema, coerceDuration(value)))
  if (schema.type === 'integer') return limitLength((value) => checkRange(schema, coerceInteger(value)))
  if (schema.type === 'number') return limitLength((value) => checkRange(schema, coerceNumber(value)))
  if (schema.type === 'null') return (value) => (value === null ? { value } : fault('none_required', 'Input should be None'))
  if (schema.format === 'uuid') return limitLength(coerceUuid)
  if (schema.format === 'date-time') return limitLength(schema['x-as-sent'] ? coerceTimeAsSent : coerceTime)
  if (schema.type === 'string') return coerceText(schema)
  return (value) => ({ value })
}

const coerceConstant =
  (constant: unknown) =>
  (value: unknown): Outcome =>
    value === constant ? { value } : fault('literal_error', `Input should be ${JSON.stringify(constant)}`, { expected: JSON.stringify(constant) })

function coerceEnum(words: readonly string[]): (value: unknown) => Outcome {
  const allowed = new Set<unknown>(words)
  const expected = words.map((word) => `'${word}'`).join(', ')
  return (value) => (allowed.has(value) ? { value } : fault('enum', `Input should be ${expected}`, { expected }))
}

const yes = new Set(['1', 't', 'true', 'y', 'yes', 'on'])
const no = new Set(['0', 'f', 'false', 'n', 'no', 'off'])

function coerceBoolean(value: unknown): Outcome {
  if (typeof value === 'boolean') return { value }
  if (value === 1 || value === 0) return { value: value === 1 }
  if (typeof value === 'string') {
    const word = value.toLowerCase()
    if (yes.has(word) || no.has(word)) return { value: yes.has(word) }
  }
  if (Number.isSafeInteger(value) || typeof value === 'string')
    return fault('bool_parsing', 'Input should be a valid boolean, unable to interpret input')
  return fault('bool_type', 'Input should be a valid boolean')
}

function coerceInteger(value: unknown): Outcome {
  if (typeof value === 'boolean') return { value: value ? 1 : 0 }
  if (typeof value === 'string') {
    if (!/^\s*[+-]?\d+(_\d+)*(\.0+)?\s*$/.test(value)) {
      return fault('int_parsing', 'Input should be a valid integer, unable to parse string as an integer')
    }
    return coerceInteger(Number(value.replaceAll('_', '')))
  }
  if (typeof value !== 'number') return fault('int_type', 'Input should be a valid integer')
  if (!Number.isFinite(value)) return fault('finite_number', 'Input should be a finite number')
  if (!Number.isInteger(value)) return fault('int_from_float', 'Input should be a valid integer, got a number with a fractional part')
  if (!Number.isSafeInteger(value)) return fault('int_parsing_size', 'Unable to parse input string as an integer, exceeded maximum size')
  return { value }
}

function coerceNumber(value: unknown): Outcome {
  if (typeof value === 'boolean') return { value: value ? 1 : 0 }
  if (typeof value === 'string') {
    if (!/^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(value))
      return fault('float_parsing', 'Input should be a valid number, unable to parse string as a number')
    return coerceNumber(Number(value))
  }
  if (typeof value !== 'number') return fault('float_type', 'Input should be a valid number')
  return Number.isFinite(value) ? { value } : fault('finite_number', 'Input should be a finite number')
}

function coerceDuration(value: unknown): Outcome {
  const seconds = typeof value === 'string' ? parseDuration(value) : typeof value === 'number' ? value : undefined
  if (seconds !== undefined && Number.isFinite(seconds)) return { value: seconds }
  return fault(
    typeof value === 'string' ? 'time_delta_parsing' : 'time_delta_type',
    'Input should be a duration: seconds, or text such as PT1H or 01:00:00',
  )
}

function checkRange(schema: Scalar, outcome: Outcome): Outcome {
  if (!('value' in outcome)) return outcome
  const value = outcome.value as number
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema
  if (minimum !== undefined && value < minimum)
    return fault('greater_than_equal', `Input should be greater than or equal to ${minimum}`, { ge: minimum })
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    return fault('greater_than', `Input should be greater than ${exclusiveMinimum}`, { gt: exclusiveMinimum })
  }
  if (maximum !== undefined && value > maximum) return fault('less_than_equal', `Input should be less than or equal to ${maximum}`, { le: maximum })
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return fault('less_than', `Input should be less than ${exclusiveMaximum}`, { lt: exclusiveMaximum })
  return outcome
}

function coerceUuid(value: unknown): Outcome {
  if (typeof value !== 'string') return fault('uuid_type', 'UUID input should be a string')
  const id = parseUuid(value)
  return id ? { value: id } : fault('uuid_parsing', 'Input should be a valid UUID', { error: 'not the form of a UUID' })
}

function coerceTime(value: unknown): Outcome {
  const time = typeof value === 'string' ? normaliseTime(value) : typeof value === 'number' ? normaliseUnixTime(value) : undefined
  return time === undefined ? fault('value_error', 'Input should be a valid datetime or date') : { value: time }
}

function coerceTimeAsSent(value: unknown): Outcome {
  const outcome = coerceTime(value)
  if (!('value' in outcome)) return outcome
  return { value: typeof value === 'string' && isRfc3339(value) ? value : dropZeroFraction(outcome.value as string) }
}

function coerceText(schema: Scalar): (value: unknown) => Outcome {
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern, 'u')
  const { minLength, maxLength, 'x-bytes-max': bytesMax } = schema
  return (value) => {
    if (typeof value !== 'string') return fault('string_type', 'Input should be a valid string')
    if (schema['x-text'] && !isStorable(value)) {
      return fault('string_unicode', 'Input should be text without NUL characters and lone surrogates')
    }
    if (minLength !== undefined && value.length < minLength) {
      return fault('string_too_short', `String should have at least ${minLength} characters`, { min_length: minLength })
    }
    if (maxLength !== undefined && value.length > maxLength) {
      return fault('string_too_long', `String should have at most ${maxLength} characters`, { max_length: maxLength })
    }
    // A character has at most three bytes for each of its code units.
    if (bytesMax !== undefined && value.length * 3 > bytesMax && Buffer.byteLength(value) > bytesMax) {
      return fault('string_too_long', `String should have at most ${bytesMax} bytes`, { max_length: bytesMax })
    }
    if (pattern && !pattern.test(value))
      return fault('string_pattern_mismatch', `String should match pattern '${schema.pattern}'`, { pattern: schema.pattern })
    return { value }
  }
}
