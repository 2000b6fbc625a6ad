/** The slow, exact reader of JSON: see json.ts. */
import { endOfString } from './json-plain.ts'

/** A number that `String(value)` would not give back. */
export class ExactNumber {
  readonly source: string
  readonly value: number
  constructor(source: string) {
    this.source = source
    this.value = Number(source)
  }
  toJSON(): number {
    return this.value
  }
}

/** Whether what was read from JSON is an object. An exact number is one of ours, and none of theirs. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)

export class JsonSyntaxError extends Error {
  readonly position: number
  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

/** Objects and lists that JSON.stringify would alter, with the text they came from. */
const sources = new WeakMap<object, string>()

/** The text a value came from, when it is one that would be altered. */
export function exactText(value: unknown): string | undefined {
  if (value instanceof ExactNumber) return value.source
  return typeof value === 'object' && value !== null ? sources.get(value) : undefined
}

/** As Python has it: to make a number of millions of digits takes too long. */
const digitsMax = 4300

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const BLANK = /[ \t\n\r]*/y
const INDEX = /^(?:0|[1-9]\d{0,9})$/

export function readExactly(text: string, depthMax: number): unknown {
  let at = 0
  /** Whether something altered was met since the flag was last cleared. */
  let exact = false

  const fail = (message: string): never => {
    throw new JsonSyntaxError(message, at)
  }

  function blanks(): void {
    BLANK.lastIndex = at
    BLANK.exec(text)
    at = BLANK.lastIndex
  }

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }

  /** Found by its quotes: a regular expression has no room for a string of some million characters, which is then a RangeError. */
  function string(): string {
    const from = at
    if (text[at] !== '"') fail('Expecting property name enclosed in double quotes')
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
    const source = match(NUMBER) ?? fail('Expecting value')
    if (source.length > digitsMax) throw new RangeError(`A number may have ${digitsMax} digits at most`)
    const value = Number(source)
    if (String(value) === source) return value
    exact = true
    return new ExactNumber(source)
  }

  function value(depth: number): unknown {
    if (depth > depthMax) fail(`JSON may be nested ${depthMax} deep at most`)
    blanks()
    const first = text[at]
    if (first === '{') return container(depth, '}', object)
    if (first === '[') return container(depth, ']', list)
    if (first === '"') return string()
    for (const [word, meaning] of literals) {
      if (text.startsWith(word, at)) {
        at += word.length
        return meaning
      }
    }
    return number()
  }

  /** Reads an object or a list, and remembers its text when something in it would be altered. */
  function container(depth: number, close: string, read: (depth: number, close: string) => object): object {
    const from = at
    const outer = exact
    exact = false
    at += 1
    const made = read(depth, close)
    if (exact) sources.set(made, text.slice(from, at))
    exact ||= outer
    return made
  }

  function object(depth: number, close: string): object {
    const made: Record<string, unknown> = {}
    blanks()
    if (text[at] === close) {
      at += 1
      return made
    }
    for (;;) {
      blanks()
      const key = string()
      blanks()
      if (text[at] !== ':') fail("Expecting ':' delimiter")
      at += 1
      const inner = value(depth + 1)
      if (INDEX.test(key) || Object.hasOwn(made, key)) exact = true
      Object.defineProperty(made, key, { value: inner, enumerable: true, writable: true, configurable: true })
      if (next(close)) return made
    }
  }

  function list(depth: number, close: string): object {
    const made: unknown[] = []
    blanks()
    if (text[at] === close) {
      at += 1
      return made
    }
    for (;;) {
      made.push(value(depth + 1))
      if (next(close)) return made
    }
  }

  function next(close: string): boolean {
    blanks()
    const mark = text[at]
    if (mark !== ',' && mark !== close) fail("Expecting ',' delimiter")
    at += 1
    return mark === close
  }

  const whole = value(1)
  blanks()
  if (at < text.length) fail('Extra data')
  return whole
}

const literals: readonly [string, boolean | null][] = [
  ['true', true],
  ['false', false],
  ['null', null],
]
