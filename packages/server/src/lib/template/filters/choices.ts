import { bind, itemsOf, text } from '../arguments.ts'
import { TemplateError } from '../errors.ts'
import { type Filter, isTrue, type Run, Undefined, type Value } from '../values.ts'
import { chosenBy, picker } from './picking.ts'

/** Nothing to choose from is an empty list, also where it is None. */
const itemsToChoose = (run: Run, value: Value): readonly Value[] => (isTrue(value) ? itemsOf(run, value) : [])

/** `map(attribute='name')`, or `map('upper')` with whatever that filter takes. */
const map: Filter = (run, value, args) => {
  const items = itemsToChoose(run, value)
  if (args.positional.length === 0 && args.named.has('attribute')) {
    const { attribute, default: otherwise } = bind('map', args, 'attribute', 'default')
    return items.map(picker(run, attribute, otherwise))
  }
  const [name, ...rest] = args.positional
  if (name === undefined) throw new TemplateError('map takes a filter or an attribute')
  const filter = run.filter(text(name))
  if (!filter) throw new TemplateError(`There is no filter '${text(name)}'`)
  return items.map((item) => filter(run, item, { positional: rest, named: args.named }))
}

const select =
  (wanted: boolean): Filter =>
  (run, value, args) => {
    const holds = chosenBy(run, args, 0, isTrue)
    return itemsToChoose(run, value).filter((item) => holds(item) === wanted)
  }

const selectattr =
  (wanted: boolean): Filter =>
  (run, value, args) => {
    const [attribute] = args.positional
    if (attribute === undefined) throw new TemplateError('selectattr takes the name of an attribute')
    const pick = picker(run, attribute)
    const holds = chosenBy(run, args, 1, isTrue)
    return itemsToChoose(run, value).filter((item) => holds(pick(item)) === wanted)
  }

const otherwise: Filter = (_run, value, args) => {
  const { default_value, boolean } = bind('default', args, 'default_value', 'boolean')
  const missing = value instanceof Undefined || (boolean !== undefined && isTrue(boolean) && !isTrue(value))
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
  attr: (run, value, args) => run.attribute(value, text(bind('attr', args, 'name').name)),
}
