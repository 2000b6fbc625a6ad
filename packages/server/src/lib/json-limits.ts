import { JsonSyntaxError } from './json-exact.ts'
import { endOfString } from './json-round-trip.ts'

export interface JsonLimits {
  readonly depthMax: number
  readonly valuesMax: number
}

/** The text is nested too deeply or has too many values. */
export class JsonTooLarge extends Error {
  readonly type: 'json_too_deep' | 'json_too_large'
  constructor(type: JsonTooLarge['type'], message: string) {
    super(message)
    this.type = type
  }
}

/** Characters per slice between turns of the event loop. The slowest text, `1.0` in small objects, takes 5 ms. */
export const sliceLength = 32 * 1024

/** Checking is much faster than parsing: this many characters take a millisecond. */
const charactersPerCheck = 8 * sliceLength

/** Maximum number of characters between two brackets, commas, colons or strings. A number has at most 4,300 digits; skipping millions of blanks cannot be sliced. */
const gapMax = 64 * 1024

/** Checks the limits before parsing, because parsing is expensive. Ordinary texts have one value per 30 bytes or more. */
export function checkJsonLimits(text: string, limits: JsonLimits): void {
  // Too short to exceed a limit.
  if (text.length <= limits.depthMax) return
  for (const _ of checkLimitsInSlices(text, limits));
}

/**
 * Whether a short text has to be checked. Counting the opening brackets takes a fraction of the check, and most bodies have fewer than the depth may be. The text
 * must be valid JSON without the check.
 */
export function mayExceedLimits(text: string, { depthMax, valuesMax }: JsonLimits): boolean {
  // Every value but the first takes a character before it.
  return text.length >= Math.min(valuesMax, gapMax) || countUpTo(text, '{', depthMax) + countUpTo(text, '[', depthMax) > depthMax
}

function countUpTo(text: string, character: string, most: number): number {
  let count = 0
  for (let at = text.indexOf(character); at >= 0 && count <= most; at = text.indexOf(character, at + 1)) count += 1
  return count
}

export interface JsonMeasurements {
  /** The start and the end of each container that is longer than a slice. */
  readonly large: ReadonlyMap<number, number>
  readonly values: number
}

/** The same as `checkJsonLimits`, in slices. */
export function* checkLimitsInSlices(text: string, { depthMax, valuesMax }: JsonLimits): Generator<void, JsonMeasurements> {
  const large = new Map<number, number>()
  const starts: number[] = []
  let values = 1
  let containers = 0
  let pause = charactersPerCheck
  let last = 0
  for (let at = 0; at < text.length; at += 1) {
    if (at >= pause) {
      pause = at + charactersPerCheck
      if (at - last > gapMax) failGapTooLong()
      yield
    }
    const code = text.charCodeAt(at)
    // Blanks first, because they may be frequent.
    if (code < 0x22) continue
    if (at - last > gapMax) failGapTooLong()
    // `[` and `{`, and `]` and `}`, differ in this bit only.
    const bracket = code | 0x20
    if (code === 0x22) {
      const end = endOfString(text, at)
      if (end < 0) throw new JsonSyntaxError('Unterminated string', at)
      at = end
    } else if (code === 0x2c) {
      values += 1
    } else if (bracket === 0x7b) {
      containers += 1
      starts.push(at)
      if (starts.length > depthMax) throw new JsonTooLarge('json_too_deep', `JSON exceeds the nesting limit of ${depthMax}`)
    } else if (bracket === 0x7d) {
      const from = starts.pop()
      if (from === undefined) throw new JsonSyntaxError('Expecting value', at)
      if (at - from > sliceLength) large.set(from, at)
    } else if (code !== 0x3a) continue
    last = at
    if (values > valuesMax || containers > valuesMax) throw new JsonTooLarge('json_too_large', `JSON exceeds the limit of ${valuesMax} values`)
  }
  if (text.length - last > gapMax) failGapTooLong()
  if (starts.length > 0) throw new JsonSyntaxError("Expecting ',' delimiter", text.length)
  return { large, values: values + containers }
}

function failGapTooLong(): never {
  throw new JsonTooLarge('json_too_large', `JSON exceeds the limit of ${gapMax} consecutive blanks or digits`)
}
