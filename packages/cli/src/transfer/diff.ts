import { type Item, isEqual, isObject } from './json-value.ts'
import { decodeKey } from './key-order.ts'
import { Hidden } from './placeholders.ts'
import type { Path } from './problems.ts'

/** A difference of one field. Its values are shown to the user, so secrets in them are hidden. */
export type Change =
  | { readonly op: 'add'; readonly path: Path; readonly after: unknown }
  | { readonly op: 'remove'; readonly path: Path; readonly before: unknown }
  | { readonly op: 'change'; readonly path: Path; readonly before: unknown; readonly after: unknown }

/** The fields of a new item, except those of its name. */
export const describeFields = (item: Item, nameKeys: readonly string[]): Change[] =>
  Object.entries(item).flatMap(([key, after]) => (nameKeys.includes(key) ? [] : [{ op: 'add', path: [decodeKey(key)], after }]))

/** The differences between two values, field by field. */
export function diffValues(before: unknown, after: unknown, path: Path = []): Change[] {
  if (isEqual(before, after)) return []
  if (isObject(before) && isObject(after)) return diffObjects(before, after, path)
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(before, after, path)
  // A secret stays hidden where the other side does not know that it is one.
  const isSecret = before instanceof Hidden || after instanceof Hidden
  const shown = (value: unknown) => (isSecret && !(value instanceof Hidden) && value !== null ? new Hidden(value) : value)
  return [{ op: 'change', path, before: shown(before), after: shown(after) }]
}

function diffObjects(before: Item, after: Item, path: Path): Change[] {
  const keys = [...Object.keys(before), ...Object.keys(after).filter((key) => !Object.hasOwn(before, key))]
  return keys.flatMap((key): Change[] => {
    const inner = [...path, decodeKey(key)]
    if (!Object.hasOwn(after, key)) return [{ op: 'remove', path: inner, before: before[key] }]
    if (!Object.hasOwn(before, key)) return [{ op: 'add', path: inner, after: after[key] }]
    return diffValues(before[key], after[key], inner)
  })
}

const isContainer = (value: unknown): boolean => Array.isArray(value) || isObject(value)

/** Lists of plain values differ by their members, such as tags; other lists differ by position. */
function diffLists(before: readonly unknown[], after: readonly unknown[], path: Path): Change[] {
  if (before.some(isContainer) || after.some(isContainer)) return diffByPosition(before, after, path)
  const removed = withoutMembers(before, after)
  const added = withoutMembers(after, before)
  if (removed.length === 0 && added.length === 0) return [{ op: 'change', path, before, after }]
  return [
    ...removed.map((value): Change => ({ op: 'remove', path, before: value })),
    ...added.map((value): Change => ({ op: 'add', path, after: value })),
  ]
}

function withoutMembers(list: readonly unknown[], members: readonly unknown[]): unknown[] {
  const unused = [...members]
  return list.filter((value) => {
    const index = unused.findIndex((member) => isEqual(member, value))
    if (index >= 0) unused.splice(index, 1)
    return index < 0
  })
}

function diffByPosition(before: readonly unknown[], after: readonly unknown[], path: Path): Change[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index): Change[] => {
    const inner = [...path, index]
    if (index >= after.length) return [{ op: 'remove', path: inner, before: before[index] }]
    if (index >= before.length) return [{ op: 'add', path: inner, after: after[index] }]
    return diffValues(before[index], after[index], inner)
  }).flat()
}
