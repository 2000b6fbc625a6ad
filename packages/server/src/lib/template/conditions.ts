import { isIterable } from './arguments.ts'
import { TemplateError } from './errors.ts'
import { applyBinary, applyComparison, isEqual } from './operators.ts'
import { toText } from './to-text.ts'
import { type Condition, isDict, isList, isNumber, NativeFunction, TemplateObject, Tuple, Undefined, type Value } from './values.ts'

/** A test after `is`. */
type Test = Condition

const other = (args: { readonly positional: readonly Value[] }): Value => {
  const [value] = args.positional
  if (value === undefined) throw new TemplateError('The test needs a value to compare with')
  return value
}
const compares =
  (operator: Parameters<typeof applyComparison>[0]): Test =>
  (run, value, args) =>
    applyComparison(operator, value, other(args), run.budget)
const isCased = (text: string, fold: (text: string) => string): boolean => fold(text) === text && text.toLowerCase() !== text.toUpperCase()

const [eq, ne, lt, le, gt, ge, within] = (['==', '!=', '<', '<=', '>', '>=', 'in'] as const).map(compares) as [
  Test,
  Test,
  Test,
  Test,
  Test,
  Test,
  Test,
]

const conditions: Readonly<Record<string, Test>> = {
  defined: (_run, value) => !(value instanceof Undefined),
  undefined: (_run, value) => value instanceof Undefined,
  none: (_run, value) => value === null,
  boolean: (_run, value) => typeof value === 'boolean',
  true: (_run, value) => value === true,
  false: (_run, value) => value === false,
  integer: (_run, value) => typeof value === 'bigint',
  float: (_run, value) => typeof value === 'number',
  number: (_run, value) => isNumber(value),
  string: (_run, value) => typeof value === 'string',
  mapping: (_run, value) => isDict(value) || value instanceof TemplateObject,
  sequence: (_run, value) => typeof value === 'string' || isList(value) || value instanceof Tuple || isDict(value) || value instanceof Undefined,
  iterable: (_run, value) => isIterable(value),
  callable: (_run, value) => value instanceof NativeFunction,
  odd: (run, value) => isEqual(applyBinary('%', value, 2n, run.budget), 1n, run.budget),
  even: (run, value) => isEqual(applyBinary('%', value, 2n, run.budget), 0n, run.budget),
  divisibleby: (run, value, args) => isEqual(applyBinary('%', value, other(args), run.budget), 0n, run.budget),
  lower: (run, value) => isCased(toText(value, run.budget), (text) => text.toLowerCase()),
  upper: (run, value) => isCased(toText(value, run.budget), (text) => text.toUpperCase()),
  sameas: (run, value, args) =>
    value === other(args) || (isNumber(value) && typeof value === typeof other(args) && isEqual(value, other(args), run.budget)),
  escaped: () => false,
  filter: (run, value) => typeof value === 'string' && run.filter(value) !== undefined,
  test: (run, value) => typeof value === 'string' && run.condition(value) !== undefined,
  in: within,
  eq,
  equalto: eq,
  ne,
  lt,
  lessthan: lt,
  le,
  gt,
  greaterthan: gt,
  ge,
}

export const allConditions: ReadonlyMap<string, Condition> = new Map([
  ...Object.entries(conditions),
  ...(['==', '!=', '<', '<=', '>', '>='] as const).map((operator): [string, Condition] => [operator, compares(operator)]),
])
