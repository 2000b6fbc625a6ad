import { TemplateError } from './errors.ts'
import { type Arguments, isDict, isList, isNumber, type RenderState, TemplateObject, Tuple, typeName, Undefined, type Value } from './values.ts'

/** Binds arguments to parameter names. Missing ones are undefined. */
export function bindArguments<const N extends string>(what: string, args: Arguments, ...names: readonly N[]): Partial<Record<N, Value>> {
  if (args.positional.length > names.length) throw new TemplateError(`${what} takes at most ${names.length} arguments`)
  const given: Partial<Record<string, Value>> = Object.create(null)
  names.forEach((name, index) => {
    const value = index < args.positional.length ? args.positional[index] : args.named.get(name)
    if (value !== undefined) given[name] = value
  })
  for (const name of args.named.keys()) if (!names.includes(name as N)) throw new TemplateError(`${what} has no argument '${name}'`)
  return given as Partial<Record<N, Value>>
}

export function expectInteger(value: Value | undefined, otherwise: number): number {
  if (value === undefined) return otherwise
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value)
  if (typeof value === 'number') return Math.trunc(value)
  throw new TemplateError(`Expected an integer, got ${typeName(value)}`)
}

export function expectText(value: Value | undefined, otherwise?: string): string {
  if (value === undefined && otherwise !== undefined) return otherwise
  if (typeof value === 'string') return value
  throw new TemplateError(`Expected a string, got ${value === undefined ? 'nothing' : typeName(value)}`)
}

/** The items of an iterable value. Each item costs a step. */
export function toItems(run: RenderState, value: Value): readonly Value[] {
  const items = toList(value)
  if (!items) throw new TemplateError(`'${typeName(value)}' object is not iterable`)
  run.budget.spend(items.length)
  return items
}

export function isIterable(value: Value): boolean {
  return (
    value instanceof Undefined ||
    typeof value === 'string' ||
    isList(value) ||
    value instanceof Tuple ||
    isDict(value) ||
    value instanceof TemplateObject
  )
}

function toList(value: Value): readonly Value[] | undefined {
  if (value instanceof Undefined) return []
  if (isList(value)) return value
  if (value instanceof Tuple) return value.items
  if (typeof value === 'string') return [...value]
  if (isDict(value)) return [...value.keys()]
  if (value instanceof TemplateObject) return [...(value.items.size > 0 ? value.items : value.fields)].map(([key, inner]) => new Tuple([key, inner]))
  return undefined
}

export function lengthOf(value: Value): number {
  if (typeof value === 'string') return [...value].length
  if (isList(value)) return value.length
  if (value instanceof Tuple) return value.items.length
  if (isDict(value)) return value.size
  if (value instanceof TemplateObject) return value.items.size > 0 ? value.items.size : value.fields.size
  if (value instanceof Undefined) return 0
  throw new TemplateError(`A ${typeName(value)} has no length`)
}

export function expectNumber(value: Value): number {
  if (isNumber(value)) return Number(value)
  throw new TemplateError(value instanceof Undefined ? `'${value.name}' is undefined` : `Expected a number, got ${typeName(value)}`)
}
