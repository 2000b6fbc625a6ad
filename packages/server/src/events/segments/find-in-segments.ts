import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import { comesBefore, type EventKey, type PageRequest, type PageResult } from '../store.ts'
import { findFirstPerResource } from './first-per-resource.ts'
import type { Segment } from './open-segment.ts'
import { type SegmentMatches, scanSegments } from './scan.ts'

/** A page of events by their chapters, and how many there are in all. */
export async function findInSegments(db: Db, criteria: Criteria, request: PageRequest): Promise<PageResult> {
  if (criteria.distinct) return findDistinct(db, criteria, request)
  const page = new TopEvents(criteria, request)
  let total = 0
  for await (const answer of scanSegments(db, criteria, (next) => request.total !== undefined && page.isCompleteBefore(next))) {
    total += countMatches(answer)
    if (!page.isCompleteBefore(answer.segment)) forEachMatch(answer, (occurred, position) => page.offer(occurred, position))
  }
  return { keys: page.keys, total: request.total ?? total }
}

/** Only the first event of each subject, in the order of the list. */
async function findDistinct(db: Db, criteria: Criteria, request: PageRequest): Promise<PageResult> {
  const { count, occurred, positions } = await findFirstPerResource(db, criteria)
  const page = new TopEvents(criteria, request)
  for (let subject = 0; subject < positions.length; subject += 1) {
    if (positions[subject] !== 0) page.offer(occurred[subject] as number, positions[subject] as number)
  }
  return { keys: page.keys, total: request.total ?? count }
}

function countMatches({ mask }: SegmentMatches): number {
  let count = 0
  for (let i = 0; i < mask.length; i += 1) count += mask[i] as number
  return count
}

export function forEachMatch({ segment, mask }: SegmentMatches, use: (occurred: number, position: number, index: number) => void): void {
  const { first, columns } = segment
  for (let i = 0; i < mask.length; i += 1) if (mask[i]) use(columns.occurred[i] as number, (columns.positions[i] as number) + first, i)
}

/** The first places of a list that are offered in any order. */
class TopEvents {
  readonly keys: EventKey[] = []
  readonly #criteria: Criteria
  readonly #request: PageRequest

  constructor(criteria: Criteria, request: PageRequest) {
    this.#criteria = criteria
    this.#request = request
  }

  offer(occurred: number, position: number): void {
    const { limit, after } = this.#request
    const last = this.keys.at(-1)
    // Most are none of the first: no object is made for those.
    if (last && this.keys.length >= limit && (this.#criteria.order === 'DESC' ? occurred < last.occurred : occurred > last.occurred)) return
    const place = { occurred, position }
    if (after && !comesBefore(this.#criteria, after, place)) return
    let at = this.keys.length
    while (at > 0 && comesBefore(this.#criteria, place, this.keys[at - 1] as EventKey)) at -= 1
    if (at >= limit) return
    this.keys.splice(at, 0, place)
    if (this.keys.length > limit) this.keys.pop()
  }

  /** Whether nothing of a chapter, nor of those after it, could still come into it. */
  isCompleteBefore({ oldest, newest }: Segment): boolean {
    const last = this.keys.at(-1)
    if (this.keys.length < this.#request.limit || !last) return this.#request.limit === 0
    return this.#criteria.order === 'DESC' ? newest < last.occurred : oldest > last.occurred
  }
}
