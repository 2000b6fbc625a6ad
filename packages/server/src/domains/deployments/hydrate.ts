import { badRequest } from '../../errors.ts'
import { composeJsonText, parseJson } from '../../lib/json.ts'
import { isJsonObject } from '../../lib/json-exact.ts'

/** The values that placeholders in parameters can use. */
export interface HydrationContext {
  /** Variables by name, as JSON text. */
  readonly variables: ReadonlyMap<string, string>
  /** Renders a template; throws if it is invalid. */
  readonly render: (template: string) => string
}

const kindKey = '__prefect_kind'
const removedValue = Symbol('removed')

type Placeholder = Readonly<Record<string, unknown>>
type Handler = (placeholder: Placeholder, hydration: HydrationContext) => unknown

/** Most parameters have no placeholder and need no parsing. */
export const hasPlaceholders = (text: string): boolean => text.includes(kindKey)

/** Replaces every placeholder in parameters (JSON text) by its value. */
export function hydrateText(text: string, hydration: HydrationContext): string {
  if (!hasPlaceholders(text)) return text
  const value = hydrate(parseJson(text), hydration)
  return value === removedValue ? '{}' : composeJsonText(value)
}

function hydrate(value: unknown, hydration: HydrationContext): unknown {
  if (Array.isArray(value)) return value.map((item) => hydrate(item, hydration)).filter((item) => item !== removedValue)
  if (!isJsonObject(value)) return value
  if (kindKey in value) {
    const handler = handlers[String(value[kindKey])]
    return handler ? handler(value, hydration) : (value.value ?? null)
  }
  const fields = Object.entries(value).map(([key, inner]) => [key, hydrate(inner, hydration)] as const)
  return Object.fromEntries(fields.filter(([, inner]) => inner !== removedValue))
}

const handlers: Readonly<Record<string, Handler>> = {
  none(placeholder, hydration) {
    if (!('value' in placeholder)) throw missingKey('value')
    return hydrate(placeholder.value, hydration)
  },
  json(placeholder, hydration) {
    // The reference treats a placeholder without a value as not filled in yet.
    if (!('value' in placeholder)) return removedValue
    const text = hydrateNested(placeholder.value, hydration)
    if (typeof text !== 'string') return text
    try {
      return parseJson(text)
    } catch (error) {
      throw badRequest(`Invalid JSON: ${error instanceof Error ? error.message : String(error)}`)
    }
  },
  jinja(placeholder, hydration) {
    if (!('template' in placeholder)) throw missingKey('template')
    const template = hydrateNested(placeholder.template, hydration)
    return template === removedValue ? removedValue : hydration.render(String(template))
  },
  workspace_variable(placeholder, hydration) {
    if (!('variable_name' in placeholder)) return removedValue
    const name = hydrateNested(placeholder.variable_name, hydration)
    if (name === removedValue) return removedValue
    const text = hydration.variables.get(String(name))
    if (text === undefined) throw badRequest(`Variable "${String(name)}" does not exist.`)
    return parseJson(text)
  },
}

/** Resolves a placeholder within a placeholder. */
const hydrateNested = (value: unknown, hydration: HydrationContext): unknown => (isJsonObject(value) ? hydrate(value, hydration) : value)

const missingKey = (key: string) => badRequest(`Placeholder is missing "${key}".`)
