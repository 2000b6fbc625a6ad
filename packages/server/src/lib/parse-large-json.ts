import { parseJson } from './json.ts'
import { attachSource, JsonSyntaxError, setField } from './json-exact.ts'
import { checkJsonLimits, checkLimitsInSlices, type JsonLimits, type JsonMeasurements, mayExceedLimits, sliceLength } from './json-limits.ts'
import { endOfString, isBlank } from './json-round-trip.ts'
import type { SliceScheduler } from './slice-scheduler.ts'

/** Texts up to this length are parsed at once: the slowest of them takes about 5 ms. */
const unslicedCharactersMax = 32 * 1024

/** Called with the number of values before a large text is parsed. Parsing waits for it. */
export type ReserveValues = (values: number) => Promise<void>

/**
 * Parses a request body or a socket message within limits. A large text is parsed in slices of a few milliseconds, so that other requests are served
 * in between; the result is then a promise.
 */
export function parseReceivedJson(text: string, limits: JsonLimits, slices: SliceScheduler, beforeReading: ReserveValues): unknown {
  if (text.length > unslicedCharactersMax) return parseLargeJson(text, limits, slices, beforeReading)
  const isChecked = mayExceedLimits(text, limits)
  if (isChecked) checkJsonLimits(text, limits)
  try {
    // The depth is already checked.
    return parseJson(text, Number.POSITIVE_INFINITY)
  } catch (error) {
    // The check has its own errors for brackets and strings that do not end.
    if (!isChecked) checkJsonLimits(text, limits)
    throw error
  }
}

async function parseLargeJson(text: string, limits: JsonLimits, slices: SliceScheduler, beforeReading: ReserveValues): Promise<unknown> {
  const measured = await slices.run(checkLimitsInSlices(text, limits))
  await beforeReading(measured.values)
  return slices.run(readInSlices(text, measured))
}

/** Parses a text whose limits are checked. */
function* readInSlices(text: string, { large }: JsonMeasurements): Generator<void, unknown> {
  const from = skipBlanks(text, 0)
  const end = large.get(from) ?? endOfSmallValue(text, from)
  const made = large.has(from) ? yield* readContainer(text, from, large) : parsePart(text, from, end + 1, '', '')
  const rest = skipBlanks(text, end + 1)
  if (rest < text.length) throw new JsonSyntaxError('Extra data', rest)
  return made
}

/**
 * Parses a container that is longer than a slice. Small members are parsed in groups of about a slice, large ones separately. The text is attached, so
 * that serializing it costs nothing.
 */
function* readContainer(text: string, from: number, large: ReadonlyMap<number, number>): Generator<void, object> {
  const end = large.get(from) as number
  const isList = text[from] === '['
  const list: unknown[] = []
  const object: Record<string, unknown> = {}
  /** The start of the unparsed group of small members, and the start of the last member. */
  let group = from + 1
  let member = group
  /** Whether another member has to follow, because a comma was read. */
  let isOpen = false

  function addGroup(to: number): void {
    if (isOpen || to < end) failIfBlank(text, group, to)
    const isWhole = group === from + 1 && to === end
    const part = (isWhole ? parsePart(text, from, end + 1, '', '') : parsePart(text, group, to, isList ? '[' : '{', isList ? ']' : '}')) as object
    if (Array.isArray(part)) for (const each of part) list.push(each)
    else for (const key of Object.keys(part)) setField(object, key, (part as Record<string, unknown>)[key])
  }

  for (let at = group; at < end; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      at = endOfString(text, at)
    } else if (code === 0x2c) {
      member = at + 1
      if (at - group <= sliceLength) continue
      addGroup(at)
      group = member
      isOpen = true
      yield
    } else if ((code | 0x20) === 0x7b) {
      const last = large.get(at)
      if (last === undefined) {
        at = endOfSmallValue(text, at)
        continue
      }
      if (member > group) addGroup(member - 1)
      const key = isList ? failIfNotBlank(text, member, at) : keyBefore(text, member, at)
      const inner = yield* readContainer(text, at, large)
      if (isList) list.push(inner)
      else setField(object, key as string, inner)
      at = skipBlanks(text, last + 1)
      if (at < end && text[at] !== ',') throw new JsonSyntaxError("Expecting ',' delimiter", at)
      isOpen = at < end
      group = Math.min(at + 1, end)
      member = group
    }
  }
  if (text[end] !== (isList ? ']' : '}')) throw new JsonSyntaxError("Expecting ',' delimiter", end)
  if (isOpen || group < end) addGroup(end)
  const made = isList ? list : object
  attachSource(made, text.slice(from, end + 1))
  return made
}

/** Parses small members of a container, enclosed in brackets. */
function parsePart(text: string, from: number, to: number, open: string, close: string): unknown {
  try {
    // The depth of the whole text is already checked.
    return parseJson(open + text.slice(from, to) + close, Number.POSITIVE_INFINITY)
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new JsonSyntaxError(error.message, Math.min(Math.max(from + error.position - open.length, from), to))
    throw error
  }
}

/** An empty group is invalid between commas, although empty brackets are valid. */
function failIfBlank(text: string, from: number, to: number): void {
  if (skipBlanks(text, from) >= to) throw new JsonSyntaxError('Expecting value', to)
}

function failIfNotBlank(text: string, from: number, to: number): undefined {
  const at = skipBlanks(text, from)
  if (at < to) throw new JsonSyntaxError("Expecting ',' delimiter", at)
}

function keyBefore(text: string, from: number, to: number): string {
  const at = skipBlanks(text, from)
  if (text[at] !== '"') throw new JsonSyntaxError('Expecting property name enclosed in double quotes', at)
  const end = endOfString(text, at) + 1
  const colon = skipBlanks(text, end)
  if (text[colon] !== ':') throw new JsonSyntaxError("Expecting ':' delimiter", colon)
  failIfNotBlank(text, colon + 1, to)
  return parsePart(text, at, end, '', '') as string
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (isBlank(text.charCodeAt(at))) at += 1
  return at
}

/** The index of the last character of a value that is not a large container. Counts brackets without matching them: parsing does that. */
function endOfSmallValue(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = endOfString(text, at)
    else if ((code | 0x20) === 0x7b) depth += 1
    else if ((code | 0x20) === 0x7d) depth -= 1
    // Numbers and literals are short: an upper bound is enough.
    else if (depth === 0) return Math.min(from + scalarCharactersMax, text.length - 1)
    if (depth <= 0) return at
  }
  return text.length - 1
}

/** Longer than any accepted number. */
const scalarCharactersMax = 5000
