import { isIterable, numberOf } from './arguments.ts'
import { TemplateError } from './errors.ts'
import { compare, isEqual } from './operators.ts'
import { type Condition, isDict, isList, isNumber, Model, Native, Tuple, Undefined, type Value } from './values.ts'

/** What stands after `is`. */
type Holds = Condition

const other = (args: { readonly positional: readonly Value[] }): Value => {
  const [value] = args.positional
  if (value === undefined) throw new TemplateError('The test takes a value to compare with')
  return value
}
const compares =
  (operator: Parameters<typeof compare>[0]): Holds =>
  (run, value, args) =>
    compare(operator, value, other(args), run.budget)
const whole = (value: Value): bigint => (isNumber(value) && typeof value !== 'number' ? BigInt(value) : BigInt(Math.trunc(numberOf(value))))

const [eq, ne, lt, le, gt, ge, within] = (['==', '!=', '<', '<=', '>', '>=', 'in'] as const).map(compares) as [Holds, Holds, Holds, Holds, Holds, Holds, Holds]

const conditions: Readonly<Record<string, Holds>> = {
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
  mapping: (_run, value) => isDict(value) || value instanceof Model,
  sequence: (_run, value) => typeof value === 'string' || isList(value) || value instanceof Tuple || isDict(value) || value instanceof Undefined,
  iterable: (_run, value) => isIterable(value),
  callable: (_run, value) => value instanceof Native,
  odd: (_run, value) => whole(value) % 2n !== 0n,
  even: (_run, value) => whole(value) % 2n === 0n,
  divisibleby: (_run, value, args) => {
    const by = whole(other(args))
    if (by === 0n) throw new TemplateError('Division by zero')
    return whole(value) % by === 0n
  },
  lower: (_run, value) => typeof value === 'string' && value === value.toLowerCase() && value !== value.toUpperCase(),
  upper: (_run, value) => typeof value === 'string' && value === value.toUpperCase() && value !== value.toLowerCase(),
  sameas: (run, value, args) => value === other(args) || (isNumber(value) && typeof value === typeof other(args) && isEqual(value, other(args), run.budget)),
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
