import { jsonText, parseJson } from './json.ts'

/** Where the values come from that a form left to be worked out. */
export interface HydrationSources {
  /** The JSON text of a variable's value. */
  variable(name: string): Promise<string | undefined>
  /** Renders a template; throws with a reason. */
  render(template: string): Promise<string>
}

/** A value could not be worked out; the message says why. */
export class HydrationFailed extends Error {}

const kindKey = '__prefect_kind'

/**
 * The JSON text of a value that came out of `parseJson`, in which objects with a `__prefect_kind` (text that is JSON, a template, a variable) gave way to what they stand for.
 * Everything else stays as it was sent. Undefined when the value stands for nothing at all: it is left out of whatever holds it.
 */
export async function hydratedText(value: unknown, sources: HydrationSources): Promise<string | undefined> {
  if (!jsonText(value).includes(`"${kindKey}"`)) return jsonText(value)
  if (Array.isArray(value)) return `[${(await hydratedAll(value, sources)).filter((text) => text !== undefined).join(',')}]`
  const fields = value as Record<string, unknown>
  if (kindKey in fields) return workOut(fields, sources)
  const texts = await hydratedAll(Object.values(fields), sources)
  const members = Object.keys(fields).flatMap((name, index) => (texts[index] === undefined ? [] : [`${JSON.stringify(name)}:${texts[index]}`]))
  return `{${members.join(',')}}`
}

/** One after the other: the sources may share one connection. */
async function hydratedAll(values: readonly unknown[], sources: HydrationSources): Promise<(string | undefined)[]> {
  const texts: (string | undefined)[] = []
  for (const value of values) texts.push(await hydratedText(value, sources))
  return texts
}

async function workOut(fields: Record<string, unknown>, sources: HydrationSources): Promise<string | undefined> {
  switch (fields[kindKey]) {
    case 'none':
      if (!('value' in fields)) throw missing('value')
      return hydratedText(fields.value, sources)
    case 'json':
      // A form sends it without a value while the field is empty.
      return 'value' in fields ? readText(await hydratedText(fields.value, sources)) : undefined
    case 'jinja': {
      if (!('template' in fields)) throw missing('template')
      const template = await wordOf(fields.template, sources)
      return template === undefined ? undefined : JSON.stringify(await sources.render(template))
    }
    case 'workspace_variable': {
      const name = 'variable_name' in fields ? await wordOf(fields.variable_name, sources) : undefined
      if (name === undefined) return undefined
      const value = await sources.variable(name)
      if (value === undefined) throw new HydrationFailed(`There is no variable "${name}"`)
      return value
    }
    default:
      return 'value' in fields ? jsonText(fields.value) : 'null'
  }
}

/** A text holds JSON; anything else is what it is. */
function readText(text: string | undefined): string | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text)
  if (typeof value !== 'string') return text
  try {
    return jsonText(parseJson(value))
  } catch (error) {
    throw new HydrationFailed(`Invalid JSON: ${error instanceof Error ? error.message : error}`)
  }
}

async function wordOf(value: unknown, sources: HydrationSources): Promise<string | undefined> {
  const text = await hydratedText(value, sources)
  if (text === undefined) return undefined
  const word: unknown = JSON.parse(text)
  if (typeof word !== 'string') throw new HydrationFailed(`Expected a text, not ${text}`)
  return word
}

const missing = (key: string): HydrationFailed => new HydrationFailed(`"${key}" is missing beside "${kindKey}"`)
