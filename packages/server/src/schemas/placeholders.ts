import { isJsonObject } from '../lib/json-exact.ts'
import { checkTemplate } from '../lib/template/template.ts'
import { unknownValue } from './form-checker.ts'

type Path = readonly (string | number)[]

/** A path without a known value. `reason` is a fault; null if the value is only known at run time. */
export interface UnresolvedPath {
  readonly path: Path
  readonly reason: string | null
}

export interface Resolved {
  readonly values: unknown
  readonly unresolved: readonly UnresolvedPath[]
}

/** Sent by a form for a value that the server has to compute: `{ "__prefect_kind": "json", "value": "[1]" }`. */
type Placeholder = Readonly<Record<string, unknown>>
type Variables = ReadonlyMap<string, unknown>

const kindKey = '__prefect_kind'
const removed = Symbol('removed')

class UnresolvedValue {
  readonly reason: string | null
  constructor(reason: string | null) {
    this.reason = reason
  }
}

/** Resolves the placeholders whose value is known before a run. Collects faults instead of throwing them. */
export function resolvePlaceholders(values: unknown, variables: Variables): Resolved {
  const resolved = resolve(values, variables)
  const unresolved: UnresolvedPath[] = []
  const replaceUnresolved = (value: unknown, path: Path): unknown => {
    if (value instanceof UnresolvedValue) {
      unresolved.push({ path, reason: value.reason })
      return unknownValue
    }
    if (Array.isArray(value)) return value.map((item, index) => replaceUnresolved(item, [...path, index]))
    if (!isPlaceholder(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaceUnresolved(inner, [...path, key])]))
  }
  return { values: resolved === removed ? {} : replaceUnresolved(resolved, []), unresolved }
}

function resolve(value: unknown, variables: Variables): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, variables)).filter((item) => item !== removed)
  if (!isPlaceholder(value)) return value
  if (Object.hasOwn(value, kindKey)) {
    const handler = Object.hasOwn(handlers, String(value[kindKey])) ? handlers[String(value[kindKey])] : undefined
    return handler ? handler(value, variables) : (value.value ?? null)
  }
  const entries = Object.entries(value).map(([key, inner]) => [key, resolve(inner, variables)] as const)
  return Object.fromEntries(entries.filter(([, inner]) => inner !== removed))
}

const handlers: Readonly<Record<string, (placeholder: Placeholder, variables: Variables) => unknown>> = {
  none: (placeholder, variables) => ('value' in placeholder ? resolve(placeholder.value, variables) : missing('value')),
  json(placeholder, variables) {
    // The form is not filled in yet.
    if (!('value' in placeholder)) return removed
    const text = inner(placeholder.value, variables)
    if (typeof text !== 'string') return text
    try {
      return JSON.parse(text)
    } catch (error) {
      return new UnresolvedValue(`Invalid JSON: ${reasonOf(error)}`)
    }
  },
  jinja(placeholder, variables) {
    if (!('template' in placeholder)) return missing('template')
    const template = inner(placeholder.template, variables)
    if (template instanceof UnresolvedValue || template === removed) return template
    try {
      checkTemplate(String(template))
      return new UnresolvedValue(null)
    } catch (error) {
      return new UnresolvedValue(`Invalid template: ${reasonOf(error)}`)
    }
  },
  workspace_variable(placeholder, variables) {
    if (!('variable_name' in placeholder)) return removed
    const name = inner(placeholder.variable_name, variables)
    if (name instanceof UnresolvedValue || name === removed) return name
    return variables.has(String(name)) ? variables.get(String(name)) : new UnresolvedValue(`There is no variable "${String(name)}"`)
  },
}

/** A placeholder within a placeholder. */
const inner = (value: unknown, variables: Variables): unknown => (isPlaceholder(value) ? resolve(value, variables) : value)

const missing = (key: string) => new UnresolvedValue(`The placeholder has no "${key}"`)

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const isPlaceholder = (value: unknown): value is Placeholder => isJsonObject(value) && !(value instanceof UnresolvedValue)
