import Type, { type TNumberOptions, type TSchema, type TStringOptions } from 'typebox'
import { parseDurationOrSeconds } from '../lib/duration.ts'
import type { Setting } from './setting.ts'

const booleanWords: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  yes: true,
  y: true,
  on: true,
  1: true,
  false: false,
  f: false,
  no: false,
  n: false,
  off: false,
  0: false,
}

/** Reads a setting from text. Returns undefined if the text is not valid. */
export function readValue(setting: Setting, text: string, home: string): unknown {
  const plain = text.trim()
  if (isNullable(setting) && ['none', 'null'].includes(plain.toLowerCase())) return null
  const value = parseValue(setting, setting.normalise ? setting.normalise(plain, home) : (setting.synonyms?.[plain.toLowerCase()] ?? plain))
  return accepts(setting, value) ? value : undefined
}

/** Converts a duration to the unit of the setting. */
export function readDurationValue(setting: Setting, name: string, text: string): unknown {
  const seconds = parseDurationOrSeconds(text.trim())
  const value = seconds !== undefined && name.endsWith('_days') ? seconds / 86_400 : seconds
  return accepts(setting, value) ? value : undefined
}

/** Whether the value matches the schema. `typebox/value` would take 120 ms to load, and settings need only this part of it. */
export function accepts(schema: TSchema, value: unknown): boolean {
  if (Type.IsUnion(schema)) return schema.anyOf.some((inner) => accepts(inner, value))
  if (Type.IsNull(schema)) return value === null
  if (Type.IsBoolean(schema)) return typeof value === 'boolean'
  if (Type.IsEnum(schema)) return schema.enum.some((word) => word === value)
  if (Type.IsArray(schema)) return Array.isArray(value) && value.every((item) => accepts(schema.items, item))
  if (Type.IsInteger(schema)) return Number.isSafeInteger(value) && isWithin(schema, value)
  if (Type.IsNumber(schema)) return Number.isFinite(value) && isWithin(schema, value)
  const { pattern = '', minLength = 0 } = schema as TStringOptions
  return typeof value === 'string' && value.length >= minLength && new RegExp(pattern, 'u').test(value)
}

function isWithin(schema: TSchema, value: unknown): boolean {
  const {
    minimum = Number.NEGATIVE_INFINITY,
    exclusiveMinimum = Number.NEGATIVE_INFINITY,
    maximum = Number.POSITIVE_INFINITY,
  } = schema as TNumberOptions
  return typeof value === 'number' && value >= minimum && value > exclusiveMinimum && value <= maximum
}

/** Describes the values of a setting, for errors and for docs/config.md. */
export function describeExpected(setting: Setting): string {
  const also = isNullable(setting) && !setting.secret ? ', or `none`' : ''
  return (setting.form ?? describeType(setting)) + also
}

function parseValue(schema: TSchema, text: string): unknown {
  if (Type.IsUnion(schema)) return parseValue(schema.anyOf.find((inner) => !Type.IsNull(inner)) ?? Type.Null(), text)
  if (Type.IsInteger(schema)) return /^[+-]?\d+(_\d+)*$/.test(text) ? Number(text.replaceAll('_', '')) : undefined
  if (Type.IsNumber(schema)) return /^[+-]?(\d+(_\d+)*)(\.\d+)?$/.test(text) ? Number(text.replaceAll('_', '')) : undefined
  if (Type.IsBoolean(schema)) return booleanWords[text.toLowerCase()]
  if (Type.IsEnum(schema)) return text.toLowerCase()
  if (Type.IsArray(schema)) return text.split(',').map((item) => item.trim())
  return text
}

function describeType(schema: TSchema): string {
  if (Type.IsUnion(schema)) return describeType(schema.anyOf.find((inner) => !Type.IsNull(inner)) ?? Type.Null())
  if (Type.IsInteger(schema)) return `a whole number${describeRange(schema)}`
  if (Type.IsNumber(schema)) return `a number${describeRange(schema)}`
  if (Type.IsBoolean(schema)) return '`true` or `false`'
  if (Type.IsEnum(schema)) return `one of ${schema.enum.map((word) => `\`${word}\``).join(', ')}`
  if (Type.IsArray(schema)) return 'a comma-separated list'
  return 'text'
}

function describeRange(schema: TSchema): string {
  const { minimum, exclusiveMinimum, maximum } = schema as TNumberOptions
  const most = maximum === undefined ? '' : `, at most ${maximum}`
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}${most}`
  if (minimum === undefined) return most
  return maximum === undefined ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`
}

const isNullable = (schema: TSchema): boolean => Type.IsUnion(schema) && schema.anyOf.some((inner) => Type.IsNull(inner))
