import { isJsonObject } from '../../lib/json-exact.ts'
import type { JsonObject } from './json-object.ts'

/** Replaces a secret of any length. */
export const MASK = '********'

/** The path of a secret field; everything below it is secret too. `*` matches any key. */
interface SecretPath {
  readonly steps: readonly string[]
  readonly isWildcard: boolean
}

/** The secret fields of a schema, such as `password`, `login.token` or `headers.*`. */
export function secretPaths(fields: JsonObject): SecretPath[] {
  return secretNames(fields).map((name) => {
    const steps = name.split('.')
    const star = steps.indexOf('*')
    return star < 0 ? { steps, isWildcard: false } : { steps: steps.slice(0, star), isWildcard: true }
  })
}

export const secretNames = ({ secret_fields: names }: JsonObject): string[] =>
  Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []

/** Masks the secrets of data, also within secret objects and lists, which the reference shows. */
export function maskSecrets(data: JsonObject, paths: readonly SecretPath[]): JsonObject {
  return paths.reduce((shown, { steps, isWildcard }) => updateAtPath(shown, steps, (value) => maskValue(value, isWildcard)) as JsonObject, data)
}

/** Replaces masks that a client sent back by the stored secrets. */
export function restoreSecrets(given: JsonObject, current: JsonObject, paths: readonly SecretPath[]): JsonObject {
  return paths.reduce((data, { steps, isWildcard }) => {
    return updateAtPath(data, steps, (value, secret) => restoreValue(value, secret, isWildcard), current) as JsonObject
  }, given)
}

/** Copies the data with the value at a path changed, in every item if the path leads through a list. */
function updateAtPath(value: unknown, steps: readonly string[], change: (value: unknown, beside: unknown) => unknown, beside?: unknown): unknown {
  const [step, ...rest] = steps
  if (step === undefined) return change(value, beside)
  if (Array.isArray(value)) return value.map((item, index) => updateAtPath(item, steps, change, Array.isArray(beside) ? beside[index] : undefined))
  if (!isJsonObject(value) || !Object.hasOwn(value, step)) return value
  return { ...value, [step]: updateAtPath(value[step], rest, change, isJsonObject(beside) ? beside[step] : undefined) }
}

function maskValue(value: unknown, isWildcard: boolean): unknown {
  // A missing secret is not masked.
  if (value === null && !isWildcard) return null
  if (!isJsonObject(value) || Object.keys(value).length === 0) return MASK
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskValue(inner, true)]))
}

/** Reverts `mask`. Below a wildcard and within a secret object null is masked too. */
function restoreValue(given: unknown, current: unknown, isWildcard: boolean): unknown {
  if (given === MASK) return current === undefined || (current === null && !isWildcard) ? given : current
  if (!isJsonObject(given) || !isJsonObject(current)) return given
  return Object.fromEntries(Object.entries(given).map(([key, inner]) => [key, restoreValue(inner, current[key], true)]))
}
