import { closestMatch } from '@millrace/server/config/closest-match.ts'
import { dropZeroFraction, normaliseTime } from '@millrace/server/lib/time.ts'
import { describeType, type Item, isEqual, isObject, toNumber } from './json-value.ts'
import { decodeKey } from './key-order.ts'
import { Reference, type ReferenceKind, SecretPlaceholder } from './placeholders.ts'
import type { Path } from './problems.ts'

/** Receives what a check finds. */
export interface Checker {
  problem(path: Path, message: string): void
  /** A name of something else, to be looked up later. */
  reference(kind: ReferenceKind, name: string, path: Path): void
}

/** For values of the server: they are right already. */
export const silentChecker: Checker = { problem() {}, reference() {} }

/** Checks a value of a file and returns it in its canonical form: keys in a fixed order, defaults left out, plain numbers. */
export type Spec = (value: unknown, path: Path, checker: Checker) => unknown

/** The canonical form of a value of the server, which is not checked. */
export const toCanonical = (spec: Spec, value: unknown): Item => spec(value, [], silentChecker) as Item

interface TextRule {
  readonly pattern?: RegExp
  /** What the pattern allows. */
  readonly allows?: string
  readonly isEmptyAllowed?: boolean
}

export const text =
  ({ pattern, allows, isEmptyAllowed = true }: TextRule = {}): Spec =>
  (value, path, { problem }) => {
    const number = toNumber(value)
    if (number !== undefined) problem(path, `Must be text: put ${JSON.stringify(value)} in quotes.`)
    else if (typeof value !== 'string') problem(path, `Must be text, not ${describeType(value)}.`)
    else if (value === '' && !isEmptyAllowed) problem(path, 'Must not be empty.')
    else if (pattern && !pattern.test(value)) problem(path, `"${value}" is not allowed: ${allows}.`)
    return value
  }

/** A name in the path of a URL. */
export const name = text({ pattern: /^[^/%&><]+$/, allows: 'a name is not empty and contains no / % & > <', isEmptyAllowed: false })

export const flag: Spec = (value, path, { problem }) => {
  if (typeof value !== 'boolean') problem(path, `Must be true or false, not ${describeType(value)}.`)
  return value
}

interface NumberRule {
  readonly min?: number
  readonly max?: number
  readonly isInteger?: boolean
}

export const number =
  ({ min, max, isInteger = false }: NumberRule = {}): Spec =>
  (value, path, { problem }) => {
    const plain = toNumber(value)
    if (plain === undefined) problem(path, `Must be ${isInteger ? 'a whole number' : 'a number'}, not ${describeType(value)}.`)
    else if (isInteger && !Number.isSafeInteger(plain)) problem(path, `Must be a whole number, not ${JSON.stringify(value)}.`)
    else if (min !== undefined && plain < min) problem(path, `Must be at least ${min}, not ${plain}.`)
    else if (max !== undefined && plain > max) problem(path, `Must be at most ${max}, not ${plain}.`)
    return plain ?? value
  }

export const integer = (rule: NumberRule = {}): Spec => number({ ...rule, isInteger: true })

export const time: Spec = (value, path, { problem }) => {
  const normal = typeof value === 'string' ? normaliseTime(value) : undefined
  if (normal === undefined) problem(path, `Must be a time such as "2030-01-31T08:00:00Z", not ${describeType(value)}.`)
  return (normal && dropZeroFraction(normal)) ?? value
}

export const oneOf =
  (...values: readonly (string | number)[]): Spec =>
  (value, path, { problem }) => {
    if (values.includes(value as string)) return value
    const meant = typeof value === 'string' ? closestMatch(value, values.map(String)) : undefined
    problem(path, `Must be one of ${values.join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`)
    return value
  }

export const nullable =
  (spec: Spec): Spec =>
  (value, path, checker) =>
    value === null || value === undefined ? null : spec(value, path, checker)

export const list =
  (spec: Spec): Spec =>
  (value, path, checker) => {
    if (Array.isArray(value)) return value.map((item, index) => spec(item, [...path, index], checker))
    checker.problem(path, `Must be a list, not ${describeType(value)}.`)
    return value
  }

/** A mapping with any keys. */
export const record =
  (spec: Spec): Spec =>
  (value, path, checker) => {
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, spec(inner, [...path, decodeKey(key)], checker)]))
    checker.problem(path, `Must be a mapping, not ${describeType(value)}.`)
    return value
  }

/** A name of something else. */
export const named =
  (kind: ReferenceKind): Spec =>
  (value, path, checker) => {
    text({ isEmptyAllowed: false })(value, path, checker)
    if (typeof value === 'string' && value !== '') checker.reference(kind, value, path)
    return value
  }

/** User data: any JSON, kept as it is. It may contain references to block documents, and secrets where they are allowed. */
const freeValue =
  (isSecretAllowed: boolean): Spec =>
  (value, path, checker) => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) freeValue(isSecretAllowed)(item, [...path, index], checker)
    else if (isObject(value)) for (const [key, item] of Object.entries(value)) freeValue(isSecretAllowed)(item, [...path, decodeKey(key)], checker)
    else if (value instanceof Reference && value.kind === 'block-document' && !value.isNegated) checker.reference(value.kind, value.name, path)
    else if (value instanceof Reference) checker.problem(path, `Only a block document can be referenced here, not ${value.text}.`)
    else if (value instanceof SecretPlaceholder && !isSecretAllowed) checker.problem(path, 'Only the data of a block document can have secrets.')
    return value
  }

export const freeJson: Spec = freeValue(false)

const freeObjectOf =
  (spec: Spec): Spec =>
  (value, path, checker) => {
    if (!isObject(value)) checker.problem(path, `Must be a mapping, not ${describeType(value)}.`)
    return spec(value, path, checker)
  }

export const freeObject: Spec = freeObjectOf(freeJson)
export const secretObject: Spec = freeObjectOf(freeValue(true))

export interface Field {
  readonly spec: Spec
  readonly isRequired?: boolean
  /** Left out if the value equals it. */
  readonly default?: unknown
}

export type Fields = Readonly<Record<string, Field>>

export const required = (spec: Spec): Field => ({ spec, isRequired: true })
export const optional = (spec: Spec, defaultValue?: unknown): Field => ({ spec, default: defaultValue })

/** A mapping with known keys. */
export const object =
  (fields: Fields): Spec =>
  (value, path, checker) => {
    if (!isObject(value)) {
      checker.problem(path, `Must be a mapping, not ${describeType(value)}.`)
      return value
    }
    for (const key of Object.keys(value))
      if (!Object.hasOwn(fields, key)) checker.problem([...path, decodeKey(key)], unknownKey(decodeKey(key), fields))
    const entries = Object.entries(fields).flatMap(([key, field]) => {
      if (!Object.hasOwn(value, key) || value[key] === undefined) {
        if (field.isRequired) checker.problem(path, `Missing key "${key}".`)
        return []
      }
      const canonical = field.spec(value[key], [...path, key], checker)
      return field.default !== undefined && isEqual(canonical, field.default) ? [] : [[key, canonical] as const]
    })
    return Object.fromEntries(entries)
  }

function unknownKey(key: string, fields: Fields): string {
  const meant = closestMatch(key, Object.keys(fields))
  return `Unknown key "${key}".${meant ? ` Did you mean "${meant}"?` : ` The keys here are ${Object.keys(fields).join(', ')}.`}`
}

/** The value of a field, or its default. */
export const valueOr = <T>(item: Item, key: string, fallback: T): T => (item[key] === undefined ? fallback : (item[key] as T))
