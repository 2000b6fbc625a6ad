import { sourceText } from '../lib/json-exact.ts'

/** The JSON of a value over several lines. Numbers stay as they were sent. */
export function prettyJson(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item) => prettyJson(item, inner))
    : isNumber(value)
      ? undefined
      : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${prettyJson(item, inner)}`)
  if (!parts) return sourceText(value) as string
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return parts.length === 0 ? `${open}${close}` : `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`
}

/** A number that was kept as its text is an object of its own class. */
const isNumber = (value: object): boolean => Object.getPrototypeOf(value) !== Object.prototype
