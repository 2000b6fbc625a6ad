import { endOfString, isBlank, isDigit } from './json-round-trip.ts'

/** The exact JSON parser, slower than `JSON.parse`: see json.ts and ADR 0016. */

/** A number whose text differs from `String(value)`. */
export class ExactNumber {
  readonly source: string
  readonly value: number
  constructor(source: string, value = Number(source)) {
    this.source = source
    this.value = value
  }
  toJSON(): number {
    return this.value
  }
}

/** Whether a parsed JSON value is an object. An `ExactNumber` is a number. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)

export class JsonSyntaxError extends Error {
  readonly position: number
  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

/**
 * The property of an object or list with its source text. Not a WeakMap: a message of a hundred thousand small objects took four times as long to
 * parse with one. Copies of an object do not have the property.
 */
const source = Symbol('source')

export function attachSource(container: object, text: string): void {
  Object.defineProperty(container, source, { value: text })
}

/** The source text of a value that `JSON.stringify` would alter. */
export function sourceText(value: unknown): string | undefined {
  if (value instanceof ExactNumber) return value.source
  return typeof value === 'object' && value !== null ? (value as { [source]?: string })[source] : undefined
}

/** The limit of Python. Converting millions of digits takes too long. */
const digitsMax = 4300

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const INDEX = /^(?:0|[1-9]\d{0,9})$/

export function parseExactly(text: string, depthMax: number): unknown {
  let at = 0
  /** Whether a value that `JSON.stringify` would alter was read since the flag was last cleared. */
  let exact = false

  const fail = (message: string): never => {
    throw new JsonSyntaxError(message, at)
  }

  function blanks(): void {
    while (isBlank(text.charCodeAt(at))) at += 1
  }

  /** Searches for the closing quote, because a regular expression throws a RangeError on a string of millions of characters. */
  function string(): string {
    const from = at
    if (text.charCodeAt(at) !== 0x22) fail('Expecting property name enclosed in double quotes')
    const end = endOfString(text, from) + 1
    if (end === 0) fail('Unterminated string')
    try {
      const found = JSON.parse(text.slice(from, end)) as string
      at = end
      return found
    } catch {
      return fail('Invalid string')
    }
  }

  function number(): number | ExactNumber {
    NUMBER.lastIndex = at
    if (!NUMBER.test(text)) fail('Expecting value')
    const source = text.slice(at, NUMBER.lastIndex)
    at = NUMBER.lastIndex
    if (source.length > digitsMax) throw new RangeError(`A number exceeds the limit of ${digitsMax} digits`)
    const value = Number(source)
    if (String(value) === source) return value
    exact = true
    return new ExactNumber(source, value)
  }

  function word(expected: string, meaning: boolean | null): boolean | null {
    if (!text.startsWith(expected, at)) fail('Expecting value')
    at += expected.length
    return meaning
  }

  function value(depth: number): unknown {
    if (depth > depthMax) fail(`JSON exceeds the nesting limit of ${depthMax}`)
    blanks()
    switch (text.charCodeAt(at)) {
      case 0x7b:
        return container(depth, true)
      case 0x5b:
        return container(depth, false)
      case 0x22:
        return string()
      case 0x74:
        return word('true', true)
      case 0x66:
        return word('false', false)
      case 0x6e:
        return word('null', null)
      default:
        return number()
    }
  }

  /** Reads an object or a list. Attaches its text if `JSON.stringify` would alter a part of it. */
  function container(depth: number, isObject: boolean): object {
    const from = at
    const outer = exact
    exact = false
    at += 1
    const made = isObject ? object(depth) : list(depth)
    if (exact) attachSource(made, text.slice(from, at))
    exact ||= outer
    return made
  }

  function object(depth: number): object {
    const made: Record<string, unknown> = {}
    blanks()
    if (text.charCodeAt(at) === 0x7d) {
      at += 1
      return made
    }
    for (;;) {
      blanks()
      const key = string()
      blanks()
      if (text.charCodeAt(at) !== 0x3a) fail("Expecting ':' delimiter")
      at += 1
      const inner = value(depth + 1)
      if ((isDigit(key.charCodeAt(0)) && INDEX.test(key)) || Object.hasOwn(made, key)) exact = true
      setField(made, key, inner)
      if (next(0x7d)) return made
    }
  }

  function list(depth: number): object {
    const made: unknown[] = []
    blanks()
    if (text.charCodeAt(at) === 0x5d) {
      at += 1
      return made
    }
    for (;;) {
      made.push(value(depth + 1))
      if (next(0x5d)) return made
    }
  }

  function next(close: number): boolean {
    blanks()
    const mark = text.charCodeAt(at)
    if (mark !== 0x2c && mark !== close) fail("Expecting ',' delimiter")
    at += 1
    return mark === close
  }

  const result = value(1)
  blanks()
  if (at < text.length) fail('Extra data')
  return result
}

/** Sets a field of a parsed object. A plain assignment to `__proto__` would change the prototype. */
export function setField(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  else object[key] = value
}
