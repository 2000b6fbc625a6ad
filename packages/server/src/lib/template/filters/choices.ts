import { bindArguments, expectText, toItems } from '../arguments.ts'
import { TemplateError } from '../errors.ts'
import { type Filter, isTruthy, type RenderState, Undefined, type Value } from '../values.ts'
import { attributeGetter, testFromArguments } from './selectors.ts'

/** None and undefined count as an empty list. */
const itemsToChoose = (run: RenderState, value: Value): readonly Value[] => (isTruthy(value) ? toItems(run, value) : [])

/** `map(attribute='name')`, or `map('upper')` with the arguments of that filter. */
const map: Filter = (run, value, args) => {
  const items = itemsToChoose(run, value)
  if (args.positional.length === 0 && args.named.has('attribute')) {
    const { attribute, default: otherwise } = bindArguments('map', args, 'attribute', 'default')
    return items.map(attributeGetter(run, attribute, otherwise))
  }
  const [name, ...rest] = args.positional
  if (name === undefined) throw new TemplateError('map needs a filter or an attribute')
  const filter = run.filter(expectText(name))
  if (!filter) throw new TemplateError(`No filter named '${expectText(name)}'`)
  return items.map((item) => filter(run, item, { positional: rest, named: args.named }))
}

const select =
  (wanted: boolean): Filter =>
  (run, value, args) => {
    const holds = testFromArguments(run, args, 0, isTruthy)
    return itemsToChoose(run, value).filter((item) => holds(item) === wanted)
  }

const selectattr =
  (wanted: boolean): Filter =>
  (run, value, args) => {
    const [attribute] = args.positional
    if (attribute === undefined) throw new TemplateError('selectattr needs the name of an attribute')
    const pick = attributeGetter(run, attribute)
    const holds = testFromArguments(run, args, 1, isTruthy)
    return itemsToChoose(run, value).filter((item) => holds(pick(item)) === wanted)
  }

const otherwise: Filter = (_run, value, args) => {
  const { default_value, boolean } = bindArguments('default', args, 'default_value', 'boolean')
  const missing = value instanceof Undefined || (boolean !== undefined && isTruthy(boolean) && !isTruthy(value))
  if (!missing) return value
  return default_value === undefined ? '' : default_value
}

export const choiceFilters: Readonly<Record<string, Filter>> = {
  map,
  select: select(true),
  reject: select(false),
  selectattr: selectattr(true),
  rejectattr: selectattr(false),
  default: otherwise,
  d: otherwise,
  attr: (run, value, args) => run.attribute(value, expectText(bindArguments('attr', args, 'name').name)),
}
