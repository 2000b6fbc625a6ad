import { JsonSyntaxError } from './json-exact.ts'
import { endOfString } from './json-round-trip.ts'

export interface JsonLimits {
  readonly depthMax: number
  readonly valuesMax: number
}

/** A text that is too much to read: nested too deep, or with too many values. */
export class JsonTooLarge extends Error {
  readonly type: 'json_too_deep' | 'json_too_large'
  constructor(type: JsonTooLarge['type'], message: string) {
    super(message)
    this.type = type
  }
}

/** About this many characters are read before the event loop is given back. The slowest of them, all `1.0` in small objects, take 5 ms. */
export const sliceLength = 32 * 1024

/** To measure is much faster than to read: so many characters take a millisecond. */
const charactersPerCheck = 8 * sliceLength

/** The most characters between two brackets, commas, colons or strings. A number has 4,300 digits at most; to skip millions of blanks cannot be divided. */
const gapMax = 64 * 1024

/** Checks the limits of a text before it is read, because reading is what costs. Ordinary texts have a value for every 30 bytes or more. */
export function checkJsonLimits(text: string, limits: JsonLimits): void {
  // So few characters cannot hold too much of anything.
  if (text.length <= limits.depthMax) return
  for (const _ of checkLimitsInSlices(text, limits));
}

export interface JsonMeasurements {
  /** Where each container begins and ends that is longer than a slice. */
  readonly large: ReadonlyMap<number, number>
  readonly values: number
}

/** The same in slices. */
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
    // Blanks first: of them there may be many.
    if (code < 0x22) continue
    if (at - last > gapMax) failGapTooLong()
    // `[` and `{`, `]` and `}` differ in this bit alone.
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
      if (starts.length > depthMax) throw new JsonTooLarge('json_too_deep', `JSON may be nested ${depthMax} deep at most`)
    } else if (bracket === 0x7d) {
      const from = starts.pop()
      if (from === undefined) throw new JsonSyntaxError('Expecting value', at)
      if (at - from > sliceLength) large.set(from, at)
    } else if (code !== 0x3a) continue
    last = at
    if (values > valuesMax || containers > valuesMax) throw new JsonTooLarge('json_too_large', `JSON may hold ${valuesMax} values at most`)
  }
  if (text.length - last > gapMax) failGapTooLong()
  if (starts.length > 0) throw new JsonSyntaxError("Expecting ',' delimiter", text.length)
  return { large, values: values + containers }
}

function failGapTooLong(): never {
  throw new JsonTooLarge('json_too_large', `JSON may hold ${gapMax} blanks or digits in a row at most`)
}
