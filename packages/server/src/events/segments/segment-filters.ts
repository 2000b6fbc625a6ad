import { TimeSlice } from '../../lib/time-slice.ts'
import type { Db } from '../../storage/database.ts'
import type { Criteria, ResourceCriteria } from '../criteria.ts'
import { decodeSegmentPart } from './segment.ts'
import { readSegmentParts, type SegmentRef } from './segment-store.ts'
import { SlicedFilter, textKey, uuidKeys } from './sliced-filter.ts'

/**
 * The newest segments are in the filters: the resources of eight million events and the ids of four million, 16 MiB each. Older ids are found by the time of
 * their event.
 */
const resourceSegmentsMax = 2048
const idSegmentsMax = 1024

type ReadKeys = (db: Db, ids: readonly number[]) => Promise<Map<number, Uint32Array>>

interface SegmentFilterSize {
  readonly segmentsMax: number
  readonly segmentsPerRead: number
}

/** Which stored segments may contain a key. Loaded on first use, and then kept up to date. */
class SegmentFilter {
  readonly #filter: SlicedFilter
  readonly #segmentsMax: number
  readonly #segmentsPerRead: number
  readonly #readKeys: ReadKeys
  /** The segments that the filter was synchronized with. */
  #synced: readonly SegmentRef[] | undefined
  #missing: SegmentRef[] = []
  #beyond: SegmentRef[] = []
  readonly #slots = new Map<number, number>()
  readonly #refs = new Map<number, SegmentRef>()
  #syncing: Promise<void> = Promise.resolve()

  constructor(filter: SlicedFilter, { segmentsMax, segmentsPerRead }: SegmentFilterSize, readKeys: ReadKeys) {
    this.#filter = filter
    this.#segmentsMax = segmentsMax
    this.#segmentsPerRead = segmentsPerRead
    this.#readKeys = readKeys
  }

  /** Adds new segments and removes those that no longer exist. */
  sync(db: Db, refs: readonly SegmentRef[]): Promise<void> {
    this.#syncing = this.#syncing.catch(() => undefined).then(() => this.#sync(db, refs))
    return this.#syncing
  }

  async #sync(db: Db, refs: readonly SegmentRef[]): Promise<void> {
    if (refs === this.#synced) return
    const wanted = new Map(
      refs
        .filter(({ kind }) => kind === 'stored')
        .slice(-this.#segmentsMax)
        .map((ref) => [ref.id, ref]),
    )
    for (const [id, slot] of this.#slots) {
      if (wanted.has(id)) continue
      this.#filter.removeSegment(slot)
      this.#slots.delete(id)
      this.#refs.delete(slot)
    }
    const missing = [...wanted.keys()].filter((id) => !this.#slots.has(id))
    const slice = new TimeSlice()
    for (let from = 0; from < missing.length; from += this.#segmentsPerRead) {
      for (const [id, keys] of await this.#readKeys(db, missing.slice(from, from + this.#segmentsPerRead))) {
        const slot = this.#filter.addSegment(keys)
        this.#slots.set(id, slot)
        this.#refs.set(slot, wanted.get(id) as SegmentRef)
        if (slice.isExhausted) await slice.next()
      }
    }
    this.#missing = [...wanted.values()].filter((ref) => !this.#slots.has(ref.id))
    this.#beyond = refs.filter((ref) => ref.kind === 'stored' && !wanted.has(ref.id))
    this.#synced = refs
  }

  /** Segments without keys: they were removed since the list was read, or have another layout. */
  get missing(): readonly SegmentRef[] {
    return this.#missing
  }

  /** Segments that are too old for the filter. */
  get beyond(): readonly SegmentRef[] {
    return this.#beyond
  }

  /** Whether a segment is in the filter. Others may contain any key. */
  covers({ id, kind }: SegmentRef): boolean {
    return kind === 'stored' && this.#slots.has(id)
  }

  /** The segments of the filter that may contain a key. */
  candidates(key: number): SegmentRef[] {
    const found: SegmentRef[] = []
    this.#filter.forEachCandidate(key, (slot) => {
      const ref = this.#refs.get(slot)
      if (ref) found.push(ref)
    })
    return found
  }
}

/** 32 rows for each of 4,096 ids. */
export const createIdFilter = (): SegmentFilter =>
  new SegmentFilter(new SlicedFilter(1 << 17, 8), { segmentsMax: idSegmentsMax, segmentsPerRead: 16 }, async (db, ids) => {
    const blocks = Map.groupBy(await readSegmentParts(db, 'stored', 'ids', ids), ({ segment_id }) => segment_id)
    return new Map([...blocks].map(([id, rows]) => [id, uuidKeys(Buffer.concat(rows.map(({ body }) => body)))]))
  })

/** A segment has some thousand resources. With 12,000 of them it is reported wrongly for one of 30 ids. */
export const createResourceFilter = (): SegmentFilter =>
  new SegmentFilter(new SlicedFilter(1 << 16, 5), { segmentsMax: resourceSegmentsMax, segmentsPerRead: 128 }, async (db, ids) => {
    const parts = await readSegmentParts(db, 'stored', 'resources', ids)
    const keys = new Map<number, Uint32Array>()
    for (const { segment_id, body } of parts) {
      const decoded = decodeSegmentPart('resources', body)
      if (decoded) keys.set(segment_id, decoded.part)
    }
    return keys
  })

/** The ids that a filter requires: one of each list must be a resource of the event. */
export function requiredResourceIds({ resource, related, any }: Criteria): (readonly string[])[] {
  return [...(resource ? [resource] : []), ...related, ...any].flatMap((wanted) => {
    const ids = exactIds(wanted)
    return ids ? [ids] : []
  })
}

const exactIds = ({ ids, idRolePairs }: ResourceCriteria): readonly string[] | undefined =>
  ids.length > 0 ? ids : idRolePairs.length > 0 ? idRolePairs.map(([id]) => id) : undefined

/** The segments that may contain a resource of each list. */
export function narrowByResources(filter: SegmentFilter, refs: readonly SegmentRef[], required: readonly (readonly string[])[]): SegmentRef[] {
  let remaining = [...refs]
  for (const ids of required) {
    const candidates = new Set(ids.flatMap((id) => filter.candidates(textKey(id)).map(({ id }) => id)))
    remaining = remaining.filter((ref) => !filter.covers(ref) || candidates.has(ref.id))
  }
  return remaining
}
