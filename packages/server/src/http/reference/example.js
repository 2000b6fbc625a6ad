import { choices, mapValues, resolve } from './schemas.js'

/** A value that the schema takes: what has to be there, and defaults; with `all` every field, and shapes within shapes once. */
export function exampleOf(schema, shapes, all = false) {
  return make(schema, { shapes, all, within: [] })
}

function make(given, making) {
  const { schema, name } = resolve(given, making.shapes)
  if (schema.default !== undefined && schema.default !== null && !(making.all && isBare(schema.default))) return schema.default
  const deeper = name === undefined ? making : { ...making, within: [...making.within, name] }
  const member = choices(schema).members[0]
  if (member === undefined) return null
  return member === schema ? makePlain(schema, deeper) : make(member, deeper)
}

/** An empty list or object, which shows nothing of what could be in it. */
const isBare = (value) => typeof value === 'object' && Object.keys(value).length === 0

function makePlain(schema, making) {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.type === 'object') return makeObject(schema, making)
  if (schema.type === 'array') return makeList(schema, making)
  if (schema.type === 'boolean') return false
  if (schema.type === 'integer' || schema.type === 'number') return makeNumber(schema)
  if (schema.type === 'string') return makeText(schema)
  if (schema.type === 'null') return null
  return {}
}

function makeObject(schema, making) {
  const made = {}
  for (const [key, field] of Object.entries(schema.properties ?? {})) {
    const isRequired = schema.required?.includes(key) ?? false
    if (isRequired || isWorthShowing(field, making)) made[key] = make(field, making)
  }
  const values = mapValues(schema)
  if (values) for (const key of keysOf(schema, making)) made[key] ??= make(values, making)
  return made
}

/** The keys of a map: those that have to be there, else one when everything is wanted. */
const keysOf = ({ required }, { all }) => required ?? (all ? ['key'] : [])

/** Of what may be left out: plain defaults; and when everything is wanted, whatever does not hold itself. */
function isWorthShowing(field, making) {
  const fallback = resolve(field, making.shapes).schema.default
  if (field.deprecated) return false
  if (making.all) return !holds(field, making)
  return fallback !== undefined && fallback !== null && typeof fallback !== 'object'
}

function holds(field, making) {
  const { schema, name } = resolve(field, making.shapes)
  if (name !== undefined && making.within.includes(name)) return true
  const first = choices(schema).members[0]
  const inner = first === schema ? schema.items : first
  return inner !== undefined && holds(inner, making)
}

function makeList(schema, making) {
  const wanted = schema.minItems ?? (making.all ? 1 : 0)
  return Array.from({ length: wanted }, () => make(schema.items ?? {}, making))
}

function makeNumber({ minimum, exclusiveMinimum, maximum, format }) {
  if (minimum !== undefined) return minimum
  if (exclusiveMinimum !== undefined) return exclusiveMinimum + 1
  const usual = format === 'time-delta' ? 60 : 1
  return maximum === undefined ? usual : Math.min(maximum, usual)
}

function makeText({ format, minLength = 0, maxLength }) {
  if (format === 'uuid') return '00000000-0000-4000-8000-000000000000'
  if (format === 'date-time') return '2030-01-01T00:00:00Z'
  return 'example'.padEnd(minLength, '-').slice(0, maxLength)
}
