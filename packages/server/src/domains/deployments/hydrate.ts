import { badRequest } from '../../errors.ts'
import { parseJson } from '../../lib/json.ts'
import { composeJsonText } from '../../lib/json-compose.ts'
import { isJsonObject } from '../../lib/json-exact.ts'

/** What placeholders in parameters may draw on. */
export interface HydrationContext {
  /** Variables by name, as JSON text. */
  readonly variables: ReadonlyMap<string, string>
  /** Renders a template; throws when it cannot. */
  readonly render: (template: string) => string
}

const kindKey = '__prefect_kind'
const removed = Symbol('removed')

type Placeholder = Readonly<Record<string, unknown>>
type Handler = (placeholder: Placeholder, hydration: HydrationContext) => unknown

/** Whether there is a placeholder at all: most parameters have none, and go through untouched. */
export const hasPlaceholders = (text: string): boolean => text.includes(kindKey)

/** Parameters, as JSON text, with every placeholder replaced by what it stands for. */
export function hydrated(text: string, hydration: HydrationContext): string {
  if (!hasPlaceholders(text)) return text
  const value = hydrate(parseJson(text), hydration)
  return value === removed ? '{}' : composeJsonText(value)
}

function hydrate(value: unknown, hydration: HydrationContext): unknown {
  if (Array.isArray(value)) return value.map((item) => hydrate(item, hydration)).filter((item) => item !== removed)
  if (!isJsonObject(value)) return value
  if (kindKey in value) {
    const handler = handlers[String(value[kindKey])]
    return handler ? handler(value, hydration) : (value.value ?? null)
  }
  const fields = Object.entries(value).map(([key, inner]) => [key, hydrate(inner, hydration)] as const)
  return Object.fromEntries(fields.filter(([, inner]) => inner !== removed))
}

const handlers: Readonly<Record<string, Handler>> = {
  none(placeholder, hydration) {
    if (!('value' in placeholder)) throw missing('value')
    return hydrate(placeholder.value, hydration)
  },
  json(placeholder, hydration) {
    // The reference takes a placeholder without a value for one that is not filled in yet.
    if (!('value' in placeholder)) return removed
    const text = inner(placeholder.value, hydration)
    if (typeof text !== 'string') return text
    try {
      return parseJson(text)
    } catch (error) {
      throw badRequest(`Invalid JSON: ${error instanceof Error ? error.message : String(error)}`)
    }
  },
  jinja(placeholder, hydration) {
    if (!('template' in placeholder)) throw missing('template')
    const template = inner(placeholder.template, hydration)
    return template === removed ? removed : hydration.render(String(template))
  },
  workspace_variable(placeholder, hydration) {
    if (!('variable_name' in placeholder)) return removed
    const name = inner(placeholder.variable_name, hydration)
    if (name === removed) return removed
    const text = hydration.variables.get(String(name))
    if (text === undefined) throw badRequest(`The variable "${String(name)}" does not exist`)
    return parseJson(text)
  },
}

/** A placeholder within a placeholder. */
const inner = (value: unknown, hydration: HydrationContext): unknown => (isJsonObject(value) ? hydrate(value, hydration) : value)

const missing = (key: string) => badRequest(`A placeholder lacks its "${key}"`)
