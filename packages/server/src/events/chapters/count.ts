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
}

/** Counts by the numbers of a column. */
function talliesOf(answer: Answer, numbers: Uint16Array, many: number): Group[] {
  const groups: (Group | undefined)[] = Array.from({ length: many })
  eachPlace(answer, (occurred, _position, i) => {
    const number = numbers[i] as number
    const group = groups[number]
    if (!group) {
      groups[number] = { number, count: 1, oldest: occurred, newest: occurred }
      return
    }
    group.count += 1
    if (occurred < group.oldest) group.oldest = occurred
    if (occurred > group.newest) group.newest = occurred
  })
  return groups.filter((group) => group !== undefined)
}
