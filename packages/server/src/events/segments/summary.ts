import type { Micros } from '../../lib/time.ts'
import { startOfQuarterHour } from '../time-buckets.ts'
import { type Column, encodeColumns } from './column-codec.ts'
import { concatenateTexts, Dictionary } from './dictionary.ts'

/** The events of a segment with one name in one quarter hour. */
export interface SummaryEntry {
  readonly quarter: Micros
  readonly name: string
  readonly count: number
  readonly oldest: Micros
  readonly newest: Micros
}

interface MutableEntry {
  readonly quarter: Micros
  readonly name: number
  count: number
  oldest: Micros
  newest: Micros
}

/** Counts the events of a segment by name and quarter hour, so that counts over long ranges do not read the columns. */
export function encodeSummary(names: readonly string[], nameOf: readonly number[], occurred: readonly number[]): Uint8Array {
  const entries = new Map<number, MutableEntry>()
  for (let i = 0; i < occurred.length; i += 1) {
    const time = occurred[i] as number
    const name = nameOf[i] as number
    const quarter = startOfQuarterHour(time)
    // Quarters since 1970 are below 2³², names below 2¹⁶.
    const key = (quarter / 900_000_000) * 65_536 + name
    const entry = entries.get(key)
    if (!entry) {
      entries.set(key, { quarter, name, count: 1, oldest: time, newest: time })
      continue
    }
    entry.count += 1
    if (time < entry.oldest) entry.oldest = time
    if (time > entry.newest) entry.newest = time
  }
  const sorted = [...entries.values()]
  const texts = concatenateTexts(names, '')
  return encodeColumns([
    Float64Array.from(sorted, ({ quarter }) => quarter),
    Uint16Array.from(sorted, ({ name }) => name),
    Uint32Array.from(sorted, ({ count }) => count),
    Float64Array.from(sorted, ({ oldest }) => oldest),
    Float64Array.from(sorted, ({ newest }) => newest),
    texts.ends,
    texts.bytes,
  ])
}

export function decodeSummary(columns: readonly Column[]): SummaryEntry[] {
  const [quarters, names, counts, oldest, newest, ends, bytes] = columns as Column[]
  const dictionary = new Dictionary(ends as Uint32Array, bytes as Uint8Array)
  const texts = Array.from({ length: dictionary.count }, (_, index) => dictionary.at(index))
  return Array.from(quarters as Float64Array, (quarter, i) => ({
    quarter,
    name: texts[names?.[i] as number] as string,
    count: counts?.[i] as number,
    oldest: oldest?.[i] as number,
    newest: newest?.[i] as number,
  }))
}

/** Adds up the entries of several segments that have the same name and quarter hour. */
export function mergeSummaries(summaries: readonly (readonly SummaryEntry[])[]): SummaryEntry[] {
  const merged = new Map<string, Map<Micros, SummaryEntry>>()
  for (const entries of summaries) {
    for (const entry of entries) {
      const ofName = merged.get(entry.name) ?? new Map<Micros, SummaryEntry>()
      merged.set(entry.name, ofName)
      const { quarter, name, count, oldest, newest } = ofName.get(entry.quarter) ?? { ...entry, count: 0 }
      ofName.set(quarter, {
        quarter,
        name,
        count: count + entry.count,
        oldest: Math.min(oldest, entry.oldest),
        newest: Math.max(newest, entry.newest),
      })
    }
  }
  return [...merged.values()].flatMap((ofName) => [...ofName.values()])
}
