import { TemplateError } from './errors.ts'
import { dictMethods, listMethods } from './methods/collections.ts'
import { textMethods } from './methods/text.ts'
import { spanAttributes, timeAttributes } from './methods/time.ts'
import { isDict, isList, NativeFunction, TemplateObject, Time, TimeSpan, Tuple, typeName, Undefined, type Value } from './values.ts'

/** Methods by name. A map, so that a name from a template never reaches a prototype. */
export type Methods<T> = ReadonlyMap<string, (self: T) => Value>

/** `of.name`: a method or an attribute, else the item of that name. Missing names and names with a leading underscore are undefined. */
export function getAttribute(of: Value, name: string): Value {
  if (!name.startsWith('_')) {
    const found = findAttribute(of, name)
    return orUndefined(found === undefined ? findItem(of, name) : found, name)
  }
  return new Undefined(name)
}

/** `of[key]`: the item, else the attribute of that name. */
export function getItem(of: Value, key: Value): Value {
  if (typeof key === 'bigint' || typeof key === 'boolean') {
    return orUndefined(isDict(of) ? of.get(key) : getByIndex(of, Number(key)), String(key))
  }
  if (isDict(of) && (typeof key === 'number' || key === null)) return orUndefined(of.get(key), String(key))
  if (typeof key !== 'string') return new Undefined(typeName(key))
  const found = findItem(of, key)
  return orUndefined(found === undefined && !key.startsWith('_') ? findAttribute(of, key) : found, key)
}

/** Converts a missing value to `Undefined`. None is a value. */
export const orUndefined = (value: Value | undefined, name: string): Value => (value === undefined ? new Undefined(name) : value)

function findAttribute(of: Value, name: string): Value | undefined {
  if (typeof of === 'string') return textMethods.get(name)?.(of)
  if (of instanceof TemplateObject) {
    const own = of.attributes.get(name)
    return own === undefined && of.items.size > 0 ? dictMethods.get(name)?.(of.items) : own
  }
  if (isDict(of)) return dictMethods.get(name)?.(of)
  if (isList(of)) return listMethods.get(name)?.(of)
  if (of instanceof Tuple) return of.names.includes(name) ? of.items[of.names.indexOf(name)] : listMethods.get(name)?.(of.items)
  if (of instanceof Time) return timeAttributes.get(name)?.(of)
  if (of instanceof TimeSpan) return spanAttributes.get(name)?.(of)
  return undefined
}

function findItem(of: Value, name: string): Value | undefined {
  if (isDict(of)) return of.get(name)
  return of instanceof TemplateObject ? of.items.get(name) : undefined
}

/** Whether a text has surrogate pairs. */
const isWide = (text: string): boolean => /[\ud800-\udfff]/.test(text)

function getByIndex(of: Value, index: number): Value | undefined {
  if (typeof of === 'string' && !isWide(of)) return of.at(index)
  const items = typeof of === 'string' ? [...of] : isList(of) ? of : of instanceof Tuple ? of.items : undefined
  return items?.at(index)
}

/** `of[from:to:step]`. */
export function getSlice(of: Value, from: Value, to: Value, step: Value): Value {
  if (of instanceof Undefined) return of
  const items = typeof of === 'string' ? [...of] : isList(of) ? of : of instanceof Tuple ? of.items : undefined
  if (!items) return new Undefined(`a slice of ${typeName(of)}`)
  const by = toSliceBound(step) ?? 1
  if (by === 0) throw new TemplateError('The step of a slice cannot be zero')
  const last = by > 0 ? items.length : items.length - 1
  const least = by > 0 ? 0 : -1
  const clamp = (given: number | undefined, otherwise: number): number =>
    given === undefined ? otherwise : Math.min(Math.max(given < 0 ? given + items.length : given, least), last)
  const begin = clamp(toSliceBound(from), by > 0 ? 0 : last)
  const stop = clamp(toSliceBound(to), by > 0 ? last : -1)
  const slice: Value[] = []
  for (let at = begin; by > 0 ? at < stop : at > stop; at += by) slice.push(items[at] as Value)
  if (typeof of === 'string') return slice.join('')
  return of instanceof Tuple ? new Tuple(slice) : slice
}

function toSliceBound(value: Value): number | undefined {
  if (value === null) return undefined
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value)
  throw new TemplateError('The bounds of a slice must be integers')
}

export function getCallable(of: Value): NativeFunction['call'] {
  const call = of instanceof NativeFunction || of instanceof TemplateObject ? of.call : undefined
  if (call) return call
  throw new TemplateError(of instanceof Undefined ? `'${of.name}' is undefined` : `A ${typeName(of)} cannot be called`)
}
