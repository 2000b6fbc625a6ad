import { bindArguments, expectInteger, expectText, lengthOf, toItems } from '../arguments.ts'
import { TemplateError } from '../errors.ts'
import { applyBinary, compareValues, isEqual } from '../operators.ts'
import { toText } from '../to-text.ts'
import { type Filter, isDict, isTruthy, TemplateObject, Tuple, typeName, Undefined, type Value } from '../values.ts'
import { attributeGetter, caseFolder } from './selectors.ts'

const existing = (item: Value | undefined): Value => (item === undefined ? new Undefined('item') : item)
const yes = (value: Value | undefined): boolean => value !== undefined && isTruthy(value)

const join: Filter = (run, value, args) => {
  const { d, attribute } = bindArguments('join', args, 'd', 'attribute')
  const parts = toItems(run, value)
    .map(attributeGetter(run, attribute))
    .map((item) => toText(item, run.budget))
  const between = d === undefined ? '' : toText(d, run.budget)
  run.budget.spendOnText(parts.reduce((sum, part) => sum + part.length + between.length, 0))
  return parts.join(between)
}

const sort: Filter = (run, value, args) => {
  const { reverse, case_sensitive, attribute } = bindArguments('sort', args, 'reverse', 'case_sensitive', 'attribute')
  const paths = typeof attribute === 'string' ? attribute.split(',') : [attribute]
  const pick = paths.map((path) => attributeGetter(run, path))
  const fold = caseFolder(run, yes(case_sensitive))
  const keyed = toItems(run, value).map((item) => ({ item, keys: pick.map((one) => fold(one(item))) }))
  const sign = yes(reverse) ? -1 : 1
  keyed.sort((a, b) => {
    for (const [index, key] of a.keys.entries()) {
      const other = b.keys[index] as Value
      // Items without the attribute keep their order.
      if (key instanceof Undefined && other instanceof Undefined) continue
      const order = compareValues(key, other, run.budget)
      if (order !== 0) return sign * order
    }
    return 0
  })
  return keyed.map(({ item }) => item)
}

const unique: Filter = (run, value, args) => {
  const { case_sensitive, attribute } = bindArguments('unique', args, 'case_sensitive', 'attribute')
  const pick = attributeGetter(run, attribute)
  const fold = caseFolder(run, yes(case_sensitive))
  const seen: Value[] = []
  return toItems(run, value).filter((item) => {
    const key = fold(pick(item))
    if (seen.some((known) => isEqual(known, key, run.budget))) return false
    seen.push(key)
    return true
  })
}

const extreme =
  (sign: 1 | -1): Filter =>
  (run, value, args) => {
    const { case_sensitive, attribute } = bindArguments('min', args, 'case_sensitive', 'attribute')
    const fold = caseFolder(run, yes(case_sensitive))
    const pick = attributeGetter(run, attribute)
    const items = toItems(run, value)
    if (items.length === 0) return new Undefined('item')
    const keyed = items.map((item) => ({ item, key: fold(pick(item)) }))
    return keyed.reduce((best, one) => (sign * compareValues(one.key, best.key, run.budget) < 0 ? one : best)).item
  }

const sum: Filter = (run, value, args) => {
  const { attribute, start } = bindArguments('sum', args, 'attribute', 'start')
  return toItems(run, value)
    .map(attributeGetter(run, attribute))
    .reduce<Value>((total, item) => applyBinary('+', total, item, run.budget), start ?? 0n)
}

const reverse: Filter = (run, value) => {
  if (typeof value !== 'string') return [...toItems(run, value)].reverse()
  run.budget.spendOnText(value.length)
  return [...value].reverse().join('')
}

const batch: Filter = (run, value, args) => {
  const { linecount, fill_with } = bindArguments('batch', args, 'linecount', 'fill_with')
  const size = expectInteger(linecount, 0)
  if (size < 1) throw new TemplateError('batch needs a size of at least 1')
  const items = toItems(run, value)
  const rows: Value[][] = []
  for (let at = 0; at < items.length; at += size) rows.push(items.slice(at, at + size))
  const last = rows.at(-1)
  if (last && fill_with != null) {
    run.budget.spendOnList(size)
    while (last.length < size) last.push(fill_with)
  }
  return rows
}

const slice: Filter = (run, value, args) => {
  const { slices, fill_with } = bindArguments('slice', args, 'slices', 'fill_with')
  const count = expectInteger(slices, 0)
  if (count < 1) throw new TemplateError('slice needs a number of at least 1')
  run.budget.spendOnList(count)
  const items = toItems(run, value)
  const [each, extra] = [Math.floor(items.length / count), items.length % count]
  return Array.from({ length: count }, (_, index) => {
    const from = index * each + Math.min(index, extra)
    const column = items.slice(from, from + each + (index < extra ? 1 : 0))
    return fill_with != null && extra > 0 && index >= extra ? [...column, fill_with] : column
  })
}

const groupby: Filter = (run, value, args) => {
  const { attribute, default: otherwise, case_sensitive } = bindArguments('groupby', args, 'attribute', 'default', 'case_sensitive')
  const pick = attributeGetter(run, attribute, otherwise)
  const fold = caseFolder(run, yes(case_sensitive))
  const sorted = toItems(run, value)
    .map((item) => {
      const shown = pick(item)
      return { item, shown, key: fold(shown) }
    })
    .sort((a, b) => compareValues(a.key, b.key, run.budget))
  const groups: { shown: Value; key: Value; items: Value[] }[] = []
  for (const { item, shown, key } of sorted) {
    const last = groups.at(-1)
    if (last && isEqual(last.key, key, run.budget)) last.items.push(item)
    else groups.push({ shown, key, items: [item] })
  }
  return groups.map(({ shown, items }) => new Tuple([shown, items], ['grouper', 'list']))
}

const entries = (value: Value): [Value, Value][] => {
  if (isDict(value)) return [...value]
  if (value instanceof TemplateObject) return [...(value.items.size > 0 ? value.items : value.fields)]
  if (value instanceof Undefined) return []
  throw new TemplateError(`A ${typeName(value)} has no items`)
}

const dictsort: Filter = (run, value, args) => {
  const { case_sensitive, by, reverse } = bindArguments('dictsort', args, 'case_sensitive', 'by', 'reverse')
  const which = expectText(by, 'key')
  if (which !== 'key' && which !== 'value') throw new TemplateError('dictsort sorts by key or by value')
  const fold = caseFolder(run, yes(case_sensitive))
  const place = which === 'key' ? 0 : 1
  const sorted = entries(value)
    .map((entry) => ({ entry, key: fold(entry[place]) }))
    .sort((a, b) => compareValues(a.key, b.key, run.budget))
  return (yes(reverse) ? sorted.reverse() : sorted).map(({ entry }) => new Tuple(entry))
}

export const listFilters: Readonly<Record<string, Filter>> = {
  join,
  sort,
  unique,
  min: extreme(1),
  max: extreme(-1),
  sum,
  reverse,
  batch,
  slice,
  groupby,
  dictsort,
  items: (run, value) => {
    run.budget.spend(lengthOf(value))
    return entries(value).map((entry) => new Tuple(entry))
  },
  list: (run, value) => [...toItems(run, value)],
  first: (run, value) => existing(toItems(run, value)[0]),
  last: (run, value) => existing(toItems(run, value).at(-1)),
}
