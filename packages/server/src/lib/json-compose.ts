import { parseJson } from './json.ts'
import { sourceText } from './json-exact.ts'

/** The text of a value that was put together from pieces out of `parseJson`; each piece stays as it was sent. */
export function composeJsonText(value: unknown): string {
  const exact = sourceText(value)
  if (exact !== undefined) return exact
  if (Array.isArray(value)) return `[${value.map(composeJsonText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${composeJsonText(inner)}`)
    .join(',')}}`
}

/** The text of an object with the fields of both, those of the second over those of the first. */
export function mergeJsonObjects(under: string, over: string): string {
  if (over === '{}') return under
  if (under === '{}') return over
  return composeJsonText({ ...(parseJson(under) as object), ...(parseJson(over) as object) })
}
