import type { Item } from './json-value.ts'

/** Sorts items into groups so that an item is in a later group than those it depends on. Items of a cycle are in the last group. */
export function groupByDependency(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  dependenciesOf: (item: Item) => readonly string[],
): Item[][] {
  const groups: Item[][] = []
  let waiting = [...items]
  while (waiting.length > 0) {
    const names = new Set(waiting.map(nameOf))
    const ready = waiting.filter((item) => !dependenciesOf(item).some((name) => names.has(name)))
    groups.push(ready.length > 0 ? ready : waiting)
    if (ready.length === 0) return groups
    const done = new Set(ready)
    waiting = waiting.filter((item) => !done.has(item))
  }
  return groups
}
