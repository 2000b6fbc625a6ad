import { expectText } from '../arguments.ts'
import { TemplateError } from '../errors.ts'
import { parseDigits } from '../numbers.ts'
import { type Arguments, type RenderState, Undefined, type Value } from '../values.ts'

/** Resolves an attribute path such as `a.b.0` of an item. An integer is an index. */
export function attributeGetter(run: RenderState, attribute: Value | undefined, otherwise?: Value): (item: Value) => Value {
  if (attribute === undefined || attribute === null) return (item) => item
  const path: Value[] =
    typeof attribute === 'bigint'
      ? [attribute]
      : expectText(attribute)
          .split('.')
          .map((part) => (/^\d+$/.test(part) ? parseDigits(part) : part))
  return (item) => {
    let found = item
    for (const step of path) found = run.item(found, step)
    return found instanceof Undefined && otherwise !== undefined ? otherwise : found
  }
}

/** Texts are compared case-insensitively by default. */
export const caseFolder =
  ({ budget }: RenderState, caseSensitive: boolean) =>
  (value: Value): Value => {
    if (typeof value !== 'string' || caseSensitive) return value
    budget.spendOnText(value.length)
    return value.toLowerCase()
  }

/** The test of `select('odd')` or `selectattr('name', 'eq', 'x')` with its arguments; truthiness without a name. */
export function testFromArguments(run: RenderState, args: Arguments, used: number, isTrue: (value: Value) => boolean): (value: Value) => boolean {
  const [name, ...rest] = args.positional.slice(used)
  if (name === undefined) return isTrue
  const condition = run.condition(expectText(name))
  if (!condition) throw new TemplateError(`No test named '${expectText(name)}'`)
  return (value) => condition(run, value, { positional: rest, named: args.named })
}
