import { expectText } from '../arguments.ts'
import { TemplateError } from '../errors.ts'
import { parseDigits } from '../numbers.ts'
import { type Arguments, type RenderState, Undefined, type Value } from '../values.ts'

/** `a.b.0` of an item: the way filters are told what to look at. A whole number is an index. */
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

/** Texts are compared without regard to case unless told. */
export const caseFolder =
  (caseSensitive: boolean) =>
  (value: Value): Value =>
    typeof value === 'string' && !caseSensitive ? value.toLowerCase() : value

/** The condition that `select('odd')` or `selectattr('name', 'eq', 'x')` names, with its arguments; truth itself when it names none. */
export function testFromArguments(run: RenderState, args: Arguments, used: number, isTrue: (value: Value) => boolean): (value: Value) => boolean {
  const [name, ...rest] = args.positional.slice(used)
  if (name === undefined) return isTrue
  const condition = run.condition(expectText(name))
  if (!condition) throw new TemplateError(`There is no test '${expectText(name)}'`)
  return (value) => condition(run, value, { positional: rest, named: args.named })
}
