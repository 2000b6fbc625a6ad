import type { Budget } from './budget.ts'

/**
 * What a template can hold. There is no object of JavaScript's own among it that has properties to reach for: dictionaries are maps,
 * and everything else is one of the classes below. So there is nothing to escape through: no code here ever looks up a property by a name
 * that a template gave.
 *
 * Whole numbers are bigints and all others are numbers, as Python tells the two apart and templates show it: `10 / 2` is `5.0`.
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

/** Stands for what is not there. Looking into it gives nothing again; computing with it is an error. */
export class Undefined {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export class Tuple {
  readonly items: readonly Value[]
  /** Names of the items, where they have some. */
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

/** Something of the server's that a template may look into: an event, a flow run, a resource with its labels. */
export class TemplateObject {
  /** `flow-run`, `event` and so on. */
  readonly kind: string
  readonly attributes: ReadonlyMap<string, Value>
  /** What it consists of, and is written out as; all attributes unless some are only worked out for whoever asks. */
  readonly fields: ReadonlyMap<string, Value>
  /** What `thing["name"]` finds first; labels, for a resource. */
  readonly items: ReadonlyMap<string, Value>
  /** How it is written out; as a dictionary unless told. */
  readonly text: string | undefined
  /** What happens when it is called, if it can be. */
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

/** A rendering under way, as functions and filters see it. */
export interface RenderState {
  readonly budget: Budget
  /** Microseconds since 1970; an error where rendering has no clock. */
  now(): number
  attribute(of: Value, name: string): Value
  item(of: Value, key: Value): Value
  filter(name: string): Filter | undefined
  condition(name: string): Condition | undefined
}

export type Filter = (run: RenderState, value: Value, args: Arguments) => Value
export type Condition = (run: RenderState, value: Value, args: Arguments) => boolean

/** A function that templates may call. */
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

/** What Python calls the type; for messages. */
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

/** A method of a value: `self` is fixed when it is looked up, the rest comes with the call. */
export const boundMethod =
  <T>(name: string, act: (self: T, args: Arguments, run: RenderState) => Value) =>
  (self: T): Value =>
    new NativeFunction(name, (run, args) => act(self, args, run))
