import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import { comesBefore, type Found, type Place, type Wanted } from '../store.ts'
import { type Answer, askChapters } from './ask.ts'
import type { Chapter } from './open-chapter.ts'
import { firstPlaces } from './places-of-subjects.ts'

/** A page of events by their chapters, and how many there are in all. */
export async function findInChapters(db: Db, criteria: Criteria, wanted: Wanted): Promise<Found> {
  if (criteria.distinct) return findDistinct(db, criteria, wanted)
  const page = new Page(criteria, wanted)
  let total = 0
  for await (const answer of askChapters(db, criteria, (next) => wanted.total !== undefined && page.isCompleteBefore(next))) {
    total += marked(answer)
    if (!page.isCompleteBefore(answer.chapter)) eachPlace(answer, (occurred, position) => page.offer(occurred, position))
  }
  return { places: page.places, total: wanted.total ?? total }
}

/** Only the first event of each subject, in the order of the list. */
async function findDistinct(db: Db, criteria: Criteria, wanted: Wanted): Promise<Found> {
  const { count, occurred, positions } = await firstPlaces(db, criteria)
  const page = new Page(criteria, wanted)
  for (let subject = 0; subject < positions.length; subject += 1) {
    if (positions[subject] !== 0) page.offer(occurred[subject] as number, positions[subject] as number)
  }
  return { places: page.places, total: wanted.total ?? count }
}

function marked({ marks }: Answer): number {
  let count = 0
  for (let i = 0; i < marks.length; i += 1) count += marks[i] as number
  return count
}

export function eachPlace({ chapter, marks }: Answer, use: (occurred: number, position: number, index: number) => void): void {
  const { first, columns } = chapter
  for (let i = 0; i < marks.length; i += 1) if (marks[i]) use(columns.occurred[i] as number, (columns.positions[i] as number) + first, i)
}

/** The first places of a list that are offered in any order. */
class Page {
  readonly places: Place[] = []
  readonly #criteria: Criteria
  readonly #wanted: Wanted

  constructor(criteria: Criteria, wanted: Wanted) {
    this.#criteria = criteria
    this.#wanted = wanted
  }

  offer(occurred: number, position: number): void {
    const { limit, after } = this.#wanted
    const last = this.places.at(-1)
    // Most are none of the first: no object is made for those.
    if (last && this.places.length >= limit && (this.#criteria.order === 'DESC' ? occurred < last.occurred : occurred > last.occurred)) return
    const place = { occurred, position }
    if (after && !comesBefore(this.#criteria, after, place)) return
    let at = this.places.length
    while (at > 0 && comesBefore(this.#criteria, place, this.places[at - 1] as Place)) at -= 1
    if (at >= limit) return
    this.places.splice(at, 0, place)
    if (this.places.length > limit) this.places.pop()
  }

  /** Whether nothing of a chapter, nor of those after it, could still come into it. */
  isCompleteBefore({ oldest, newest }: Chapter): boolean {
    const last = this.places.at(-1)
    if (this.places.length < this.#wanted.limit || !last) return this.#wanted.limit === 0
    return this.#criteria.order === 'DESC' ? newest < last.occurred : oldest > last.occurred
  }
}
