import type { Micros } from '../lib/time.ts'

/** The number of events with one value. */
export interface GroupCount {
  readonly value: string
  readonly name: string | null
  readonly count: number
  readonly oldest: Micros
  readonly newest: Micros
}

/** Merges counts by value. The name of the newest wins. */
export function mergeCounts(groups: readonly GroupCount[]): GroupCount[] {
  const merged = new Map<string, GroupCount>()
  for (const group of groups) {
    const previous = merged.get(group.value)
    merged.set(group.value, previous ? addCounts(previous, group) : { ...group, count: Number(group.count) })
  }
  return [...merged.values()]
}

const addCounts = (a: GroupCount, b: GroupCount): GroupCount => ({
  value: a.value,
  name: b.newest >= a.newest ? b.name : a.name,
  count: a.count + Number(b.count),
  oldest: Math.min(a.oldest, b.oldest),
  newest: Math.max(a.newest, b.newest),
})
