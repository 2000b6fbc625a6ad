import { badRequest } from '../../errors.ts'
import { parseJson } from '../../lib/json.ts'
import { isObject } from '../../lib/json-exact.ts'
import { composedText } from '../../lib/json-object.ts'

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
type Handler = (placeholder: Placeholder, context: HydrationContext) => unknown

/** Whether there is a placeholder at all: most parameters have none, and go through untouched. */
export const hasPlaceholders = (text: string): boolean => text.includes(kindKey)

/** Parameters, as JSON text, with every placeholder replaced by what it stands for. */
export function hydrated(text: string, context: HydrationContext): string {
  if (!hasPlaceholders(text)) return text
  const value = hydrate(parseJson(text), context)
  return value === removed ? '{}' : composedText(value)
}

function hydrate(value: unknown, context: HydrationContext): unknown {
  if (Array.isArray(value)) return value.map((item) => hydrate(item, context)).filter((item) => item !== removed)
  if (!isObject(value)) return value
  if (kindKey in value) {
    const handler = handlers[String(value[kindKey])]
    return handler ? handler(value, context) : (value.value ?? null)
  }
  const fields = Object.entries(value).map(([key, inner]) => [key, hydrate(inner, context)] as const)
  return Object.fromEntries(fields.filter(([, inner]) => inner !== removed))
}

const handlers: Readonly<Record<string, Handler>> = {
  none(placeholder, context) {
    if (!('value' in placeholder)) throw missing('value')
    return hydrate(placeholder.value, context)
  },
  json(placeholder, context) {
    // The reference takes a placeholder without a value for one that is not filled in yet.
    if (!('value' in placeholder)) return removed
    const text = inner(placeholder.value, context)
    if (typeof text !== 'string') return text
    try {
      return parseJson(text)
    } catch (error) {
      throw badRequest(`Invalid JSON: ${error instanceof Error ? error.message : String(error)}`)
    }
  },
  jinja(placeholder, context) {
    if (!('template' in placeholder)) throw missing('template')
    const template = inner(placeholder.template, context)
    return template === removed ? removed : context.render(String(template))
  },
  workspace_variable(placeholder, context) {
    if (!('variable_name' in placeholder)) return removed
    const name = inner(placeholder.variable_name, context)
    if (name === removed) return removed
    const text = context.variables.get(String(name))
    if (text === undefined) throw badRequest(`The variable "${String(name)}" does not exist`)
    return parseJson(text)
  },
}

/** A placeholder within a placeholder. */
const inner = (value: unknown, context: HydrationContext): unknown => (isObject(value) ? hydrate(value, context) : value)

const missing = (key: string) => badRequest(`A placeholder lacks its "${key}"`)
