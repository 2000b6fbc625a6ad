import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import { comesBefore, type EventKey, type PageRequest, type PageResult } from '../store.ts'
import { countMatches, forEachMatch, scanSegments } from './scan.ts'
import { segmentIndexOf } from './segment-index.ts'
import type { Segment } from './segment-store.ts'
import { growArray } from './string-table.ts'

/** A page of events with the total, from the segments. */
export async function findInSegments(db: Db, criteria: Criteria, request: PageRequest): Promise<PageResult> {
  if (criteria.distinct) return findDistinct(db, criteria, request)
  const page = new TopEvents(criteria, request)
  let total = 0
  for await (const matches of scanSegments(db, criteria, (next) => request.total !== undefined && page.isCompleteBefore(next))) {
    total += countMatches(matches)
    if (!page.isCompleteBefore(matches.segment)) forEachMatch(matches, (occurred, position) => page.offer(occurred, position))
  }
  return { keys: page.keys, total: request.total ?? total }
}

/** A page of the first event of each resource. */
async function findDistinct(db: Db, criteria: Criteria, request: PageRequest): Promise<PageResult> {
  const { count, occurred, positions } = await findFirstPerResource(db, criteria)
  const page = new TopEvents(criteria, request)
  for (let id = 0; id < positions.length; id += 1) {
    if (positions[id] !== 0) page.offer(occurred[id] as number, positions[id] as number)
  }
  return { keys: page.keys, total: request.total ?? count }
}

/** The first event of each resource in list order, by resource id. Position 0 means none. */
interface FirstPerResource {
  /** How many resources have an event. */
  readonly count: number
  readonly occurred: Float64Array
  readonly positions: Float64Array
}

async function findFirstPerResource(db: Db, criteria: Criteria): Promise<FirstPerResource> {
  const resourceIds = segmentIndexOf(db).resourceIds()
  const sign = criteria.order === 'DESC' ? 1 : -1
  let occurred = new Float64Array(resourceIds.strings.count)
  let positions = new Float64Array(resourceIds.strings.count)
  let count = 0
  for await (const { segment, mask } of scanSegments(db, criteria)) {
    const { columns, first } = segment
    const { resources } = resourceIds.forColumns(columns)
    occurred = growArray(occurred, resourceIds.strings.count)
    positions = growArray(positions, resourceIds.strings.count)
    for (let i = 0; i < mask.length; i += 1) {
      if (mask[i] === 0) continue
      const id = resources[columns.resources[i] as number] as number
      const time = columns.occurred[i] as number
      const position = (columns.positions[i] as number) + first
      const previous = positions[id] as number
      if (previous === 0) count += 1
      else if ((time - (occurred[id] as number) || position - previous) * sign < 0) continue
      occurred[id] = time
      positions[id] = position
    }
  }
  return { count, occurred, positions }
}

/** Collects the first keys of a page from events in any order. */
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
    // Most events are outside the page. They allocate nothing.
    if (last && this.keys.length >= limit && (this.#criteria.order === 'DESC' ? occurred < last.occurred : occurred > last.occurred)) return
    const key = { occurred, position }
    if (after && !comesBefore(this.#criteria, after, key)) return
    let at = this.keys.length
    while (at > 0 && comesBefore(this.#criteria, key, this.keys[at - 1] as EventKey)) at -= 1
    if (at >= limit) return
    this.keys.splice(at, 0, key)
    if (this.keys.length > limit) this.keys.pop()
  }

  /** Whether neither a segment nor those after it can add to the page. */
  isCompleteBefore({ oldest, newest }: Segment): boolean {
    const last = this.keys.at(-1)
    if (this.keys.length < this.#request.limit || !last) return this.#request.limit === 0
    return this.#criteria.order === 'DESC' ? newest < last.occurred : oldest > last.occurred
  }
}
