import { isObject } from './json-value.ts'
import { encodeKey } from './key-order.ts'
import { Hidden, SecretPlaceholder } from './placeholders.ts'

/** A secret field of a block schema: `password`, `login.token`, or `headers.*` for everything in `headers`. */
type SecretPath = readonly string[]

export function secretPaths(schemaFields: unknown): SecretPath[] {
  const names = isObject(schemaFields) ? schemaFields.secret_fields : undefined
  if (!Array.isArray(names)) return []
  return names.flatMap((name) => (typeof name === 'string' ? [withoutWildcard(name.split('.'))] : []))
}

const withoutWildcard = (steps: readonly string[]): SecretPath => (steps.includes('*') ? steps.slice(0, steps.indexOf('*')) : steps)

type ChangeSecret = (value: unknown, path: readonly (string | number)[]) => unknown

/** Copies the data of a block document with its secrets changed, each value of a secret mapping on its own. */
export function mapSecrets(data: unknown, paths: readonly SecretPath[], change: ChangeSecret): unknown {
  return paths.reduce((changed, steps) => mapAt(changed, steps, [], change), data)
}

function mapAt(value: unknown, steps: SecretPath, path: readonly (string | number)[], change: ChangeSecret): unknown {
  const [step, ...rest] = steps
  if (step === undefined) return mapSecretLeaves(value, path, change)
  if (Array.isArray(value)) return value.map((item, index) => mapAt(item, steps, [...path, index], change))
  const key = encodeKey(step)
  if (!isObject(value) || !Object.hasOwn(value, key)) return value
  return { ...value, [key]: mapAt(value[key], rest, [...path, step], change) }
}

/** The server masks each value of a mapping, and a list as a whole. A missing secret is null. */
function mapSecretLeaves(value: unknown, path: readonly (string | number)[], change: ChangeSecret): unknown {
  if (value === null || value instanceof Hidden) return value
  if (!isObject(value) || Object.keys(value).length === 0) return change(value, path)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapSecretLeaves(inner, [...path, key], change)]))
}

/** Gives the placeholders of an export the names of environment variables, such as `SLACK_WEBHOOK_OPS_URL`. No name is given twice. */
export class SecretNames {
  readonly #used = new Set<string>()

  create(parts: readonly (string | number)[]): SecretPlaceholder {
    const text = parts
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '')
    const name = /^[A-Z]/.test(text) ? text : `SECRET_${text}`
    let unique = name
    for (let count = 2; this.#used.has(unique); count += 1) unique = `${name}_${count}`
    this.#used.add(unique)
    return new SecretPlaceholder(unique)
  }
}

/** Replaces secrets by placeholders, masked or not: a Prefect server does not mask mappings and lists. */
export const withPlaceholders = (data: unknown, paths: readonly SecretPath[], names: SecretNames, prefix: readonly string[]): unknown =>
  mapSecrets(data, paths, (value, path) => (value instanceof SecretPlaceholder ? value : names.create([...prefix, ...path])))

/** Hides the secrets of a document, so that they are compared but not printed. */
export const withHiddenSecrets = (data: unknown, paths: readonly SecretPath[]): unknown => mapSecrets(data, paths, (value) => new Hidden(value))

/** The names of the placeholders in a value. */
export function placeholderNames(value: unknown): string[] {
  if (value instanceof SecretPlaceholder) return [value.name]
  if (value instanceof Hidden) return placeholderNames(value.value)
  if (Array.isArray(value)) return value.flatMap(placeholderNames)
  return isObject(value) ? Object.values(value).flatMap(placeholderNames) : []
}
