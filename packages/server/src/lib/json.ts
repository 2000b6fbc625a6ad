import { parseExactly, sourceText } from './json-exact.ts'
/**
 * JSON that nobody alters. Free-form values (parameters, state data, payloads …) are stored as text and come back as they
 * were sent: `12345678901234567890`, `1.0` and the order of keys survive.
 *
 * Almost every body is plain: `JSON.parse` and `JSON.stringify` give back what was sent. Only when a text holds something
 * that they would alter is it read by the slower reader below, which remembers the text of whatever holds such a part.
 */
import { isRoundTripSafe } from './json-round-trip.ts'

export function parseJson(text: string, depthMax = 100): unknown {
  if (text.length > 2 * depthMax) assertDepth(text, depthMax)
  if (!isRoundTripSafe(text)) return parseExactly(text, depthMax)
  try {
    return JSON.parse(text)
  } catch {
    // The slow reader knows the position.
    return parseExactly(text, depthMax)
  }
}

/** The text of a value that came out of `parseJson`, as it was sent. */
export function jsonText(value: unknown): string {
  return sourceText(value) ?? JSON.stringify(value)
}

export const nullableJsonText = (value: unknown): string | null => (value === null || value === undefined ? null : jsonText(value))

/** Marks stand in the written text for pieces of JSON that are there already; nobody outside can guess them. */
const placeholder = `\u0001${crypto.randomUUID()}`
const quotedPlaceholder = JSON.stringify(placeholder)
let rawParts: (string | LazyJson)[] = []

/** JSON that is fetched only when it is written, because it is large. */
export class LazyJson {
  readonly load: () => Promise<string>
  constructor(load: () => Promise<string>) {
    this.load = load
  }
  toJSON(): string {
    rawParts.push(this)
    return placeholder
  }
}

class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toJSON(): string {
    rawParts.push(this.text)
    return placeholder
  }
}

/** Stored JSON as part of an answer: put in as it is, neither parsed nor written again (a page of 200 runs: 1.2 ms instead of 1.6 ms). */
// biome-ignore lint/suspicious/noExplicitAny: stands for whatever shape the contract gives the field
export const rawJson = (text: string | LazyJson | null): any => (text === null || text instanceof LazyJson ? text : new RawJson(text))

/** Writes what is small, as answers mostly are. */
export function writeJson(value: unknown): string {
  const { between, within } = serializeParts(value)
  let text = between[0] as string
  for (let i = 1; i < between.length; i += 1) {
    const piece = within[i - 1]
    if (piece instanceof LazyJson) throw new Error('this JSON has to be written in pieces')
    text += (piece as string) + (between[i] as string)
  }
  return text
}

/** What stands around the pieces that are JSON already, and the pieces: one less. */
export function serializeParts(value: unknown): { readonly between: readonly string[]; readonly within: readonly (string | LazyJson)[] } {
  rawParts = []
  const whole = JSON.stringify(value) ?? 'null'
  const within = rawParts
  rawParts = []
  return { between: within.length === 0 ? [whole] : whole.split(quotedPlaceholder), within }
}

function assertDepth(text: string, depthMax: number): void {
  let depth = 0
  let quoted = false
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (quoted) {
      if (code === 92) i += 1
      else if (code === 34) quoted = false
    } else if (code === 34) quoted = true
    else if (code === 91 || code === 123) {
      depth += 1
      if (depth > depthMax) throw new JsonTooDeep(depthMax)
    } else if (code === 93 || code === 125) depth -= 1
  }
}

export class JsonTooDeep extends Error {
  constructor(depthMax: number) {
    super(`JSON may be nested ${depthMax} deep at most`)
  }
}

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
