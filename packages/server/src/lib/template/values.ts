import type { Budget } from './budget.ts'

/**
 * The values of templates. Dictionaries are maps, and all other objects are instances of the classes below. The engine never looks up a
 * JavaScript property by a name from a template, so a template cannot reach a prototype or a constructor.
 *
 * Integers are bigints and floats are numbers, because Python distinguishes them: `10 / 2` is `5.0`.
 */
export type Value =
  | Undefined
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly Value[]
  | Tuple
  | Dict
  | TemplateObject
  | Time
  | TimeSpan
  | NativeFunction

export type Key = null | boolean | bigint | number | string
export type Dict = ReadonlyMap<Key, Value>

/** A missing value. Its attributes are undefined too; arithmetic with it is an error. */
export class Undefined {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export class Tuple {
  readonly items: readonly Value[]
  /** The names of the items of a named tuple. */
  readonly names: readonly string[]
  constructor(items: readonly Value[], names: readonly string[] = []) {
    this.items = items
    this.names = names
  }
}

/** A point in time, in microseconds since 1970. */
export class Time {
  readonly micros: number
  constructor(micros: number) {
    this.micros = micros
  }
}

/** A length of time, in microseconds. */
export class TimeSpan {
  readonly micros: number
  constructor(micros: number) {
    this.micros = micros
  }
}

/** An object of the server that templates can read: an event, a flow run, a resource with its labels. */
export class TemplateObject {
  /** `flow-run`, `event` and so on. */
  readonly kind: string
  readonly attributes: ReadonlyMap<string, Value>
  /** The fields of its text and JSON form; by default all attributes. Excludes attributes that are computed on demand. */
  readonly fields: ReadonlyMap<string, Value>
  /** The items that `object["name"]` finds first, such as the labels of a resource. */
  readonly items: ReadonlyMap<string, Value>
  /** Its text form; by default that of a dictionary. */
  readonly text: string | undefined
  /** Set if the object is callable. */
  readonly call: NativeFunction['call'] | undefined

  constructor(
    kind: string,
    attributes: ReadonlyMap<string, Value>,
    options: Partial<Pick<TemplateObject, 'fields' | 'items' | 'text' | 'call'>> = {},
  ) {
    this.kind = kind
    this.attributes = attributes
    this.fields = options.fields ?? attributes
    this.items = options.items ?? new Map()
    this.text = options.text
    this.call = options.call
  }
}

export interface Arguments {
  readonly positional: readonly Value[]
  readonly named: ReadonlyMap<string, Value>
}

/** The rendering state for functions and filters. */
export interface RenderState {
  readonly budget: Budget
  /** Microseconds since 1970. Throws if the rendering has no clock. */
  now(): number
  attribute(of: Value, name: string): Value
  item(of: Value, key: Value): Value
  filter(name: string): Filter | undefined
  condition(name: string): Condition | undefined
}

export type Filter = (run: RenderState, value: Value, args: Arguments) => Value
export type Condition = (run: RenderState, value: Value, args: Arguments) => boolean

/** A function that templates can call. */
export class NativeFunction {
  readonly name: string
  readonly call: (run: RenderState, args: Arguments) => Value
  constructor(name: string, call: (run: RenderState, args: Arguments) => Value) {
    this.name = name
    this.call = call
  }
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value)
export const isDict = (value: Value): value is Dict => value instanceof Map
export const isNumber = (value: Value): value is boolean | bigint | number =>
  typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean'

/** The Python name of a type, for messages. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType'
  if (value instanceof Undefined) return 'undefined'
  if (isList(value)) return 'list'
  if (isDict(value)) return 'dict'
  if (value instanceof Tuple) return 'tuple'
  if (value instanceof TemplateObject) return value.kind
  if (value instanceof Time) return 'datetime'
  if (value instanceof TimeSpan) return 'timedelta'
  if (value instanceof NativeFunction) return 'function'
  const names = { boolean: 'bool', bigint: 'int', number: 'float', string: 'str' } as const
  return names[typeof value as keyof typeof names]
}

export function isTruthy(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false
  if (typeof value === 'object') {
    if (isList(value)) return value.length > 0
    if (isDict(value)) return value.size > 0
    if (value instanceof Tuple) return value.items.length > 0
    if (value instanceof TimeSpan) return value.micros !== 0
    return true
  }
  return Boolean(value)
}

/** A bound method of a value. */
export const boundMethod =
  <T>(name: string, act: (self: T, args: Arguments, run: RenderState) => Value) =>
  (self: T): Value =>
    new NativeFunction(name, (run, args) => act(self, args, run))
