import type { Micros } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import { merged, type Tally } from '../tally.ts'
import { type Answer, askChapters } from './ask.ts'
import { eachPlace } from './find.ts'

/** How often each event happened among those that a filter finds. */
export async function countNamesInChapters(db: Db, criteria: Criteria): Promise<Tally[]> {
  const tallies: Tally[] = []
  for await (const answer of askChapters(db, criteria)) {
    const { names, nameWords, words } = answer.chapter.columns
    for (const { number, ...tally } of talliesOf(answer, names, nameWords.length))
      tallies.push({ ...tally, value: words.at(nameWords[number] as number), name: null })
  }
  return merged(tallies)
}

/** How often something happened to each resource, and what that was called last, among those. */
export async function countResourcesInChapters(db: Db, criteria: Criteria): Promise<Tally[]> {
  const found = new Map<string, { value: string; name: string | null; count: number; oldest: Micros; newest: Micros; position: number }>()
  for await (const answer of askChapters(db, criteria)) {
    const { subjects, subjectWords, calls, callWords, words } = answer.chapter.columns
    for (const { number, newestIndex, position, ...tally } of talliesOf(answer, subjects, subjectWords.length)) {
      const value = words.at(subjectWords[number] as number)
      const known = found.get(value)
      const isLast = !known || tally.newest > known.newest || (tally.newest === known.newest && position > known.position)
      const call = isLast ? (callWords[calls[newestIndex] as number] as number) : 0
      const name = isLast ? (call === 0 ? null : words.at(call - 1)) : known.name
      if (!known) found.set(value, { value, name, position, ...tally })
      else {
        known.count += tally.count
        known.oldest = Math.min(known.oldest, tally.oldest)
        known.newest = Math.max(known.newest, tally.newest)
        known.name = name
        if (isLast) known.position = position
      }
    }
  }
  return [...found.values()]
}

/** Counts in equal spans of time from a first instant on. */
export async function countTimesInChapters(db: Db, criteria: Criteria, first: Micros, width: Micros): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for await (const answer of askChapters(db, criteria)) {
    // Events that follow each other mostly lie in one span.
    let [span, count] = [0, 0]
    eachPlace(answer, (occurred) => {
      const its = Math.floor((occurred - first) / width)
      if (its !== span) {
        if (count > 0) counts.set(span, (counts.get(span) ?? 0) + count)
        span = its
        count = 0
      }
      count += 1
    })
    if (count > 0) counts.set(span, (counts.get(span) ?? 0) + count)
  }
  return counts
}

interface Group {
  readonly number: number
  count: number
  oldest: Micros
  newest: Micros
  newestIndex: number
  position: number
}

/** Counts by the numbers of a column. */
function talliesOf(answer: Answer, numbers: Uint16Array, many: number): Group[] {
  const groups: (Group | undefined)[] = Array.from({ length: many })
  eachPlace(answer, (occurred, position, i) => {
    const number = numbers[i] as number
    const group = groups[number]
    if (!group) {
      groups[number] = { number, count: 1, oldest: occurred, newest: occurred, newestIndex: i, position }
      return
    }
    group.count += 1
    if (occurred < group.oldest) group.oldest = occurred
    if (occurred > group.newest || (occurred === group.newest && position > group.position)) {
      group.newest = occurred
      group.newestIndex = i
      group.position = position
    }
  })
  return groups.filter((group) => group !== undefined)
}
