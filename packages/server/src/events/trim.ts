import { earliestTime, type Micros } from '../lib/time.ts'
import { yieldToEventLoop } from '../lib/time-slice.ts'
import { statement, type Tx } from '../storage/database.ts'
import type { ActingContext } from '../storage/server-context.ts'
import { insertEncoded } from './segments/flush-segment.ts'
import { SegmentBuilder } from './segments/segment-builder.ts'
import { type SegmentIndex, segmentIndexOf } from './segments/segment-index.ts'
import { lockSegments, markSegmentsChanged, readSegments, removeSegment, type SegmentRef } from './segments/segment-store.ts'

// Rows of legacy segments stay until these are converted.
const oldestRows = statement(
  `select position from event where occurred < $1 and occurred > $3 and position > (select coalesce(max(last), 0) from event_chapter)
    order by position limit $2`,
)
const removeRows = statement((dialect) => `delete from event where ${dialect.inList('position', '$1', 'int')}`)

/** Deletes up to `limit` events of a time range that are not in segments yet. Returns how many. */
export async function trimTail(tx: Tx, before: Micros, limit: number, after: Micros = earliestTime): Promise<number> {
  if (!(await tx.first(oldestRows, [before, 1, after]))) return 0
  await lockSegments(tx)
  const rows = await tx.all<{ position: number }>(oldestRows, [before, limit, after])
  if (rows.length === 0) return 0
  await tx.run(removeRows, [tx.dialect.list(rows.map(({ position }) => position))])
  await markSegmentsChanged(tx, { removesRows: true })
  return rows.length
}

/** A segment is written again without its old events when they are at least this share. Events of one segment mostly have about the same age. */
const rewrittenShare = 1 / 8

/** Rows per turn of the event loop. */
const readBatchSize = 100

/** Deletes events of a time range from segments, one segment per call. */
export class SegmentTrimmer {
  readonly #context: ActingContext
  readonly #index: SegmentIndex
  readonly #before: Micros
  readonly #after: Micros
  /** Segments with too few old events. */
  readonly #skipped = new Set<string>()

  constructor(context: ActingContext, before: Micros, after: Micros = earliestTime) {
    this.#context = context
    this.#index = segmentIndexOf(context.reads)
    this.#before = before
    this.#after = after
  }

  /** Deletes or rewrites the next segment with old events. Returns how many events were removed; undefined when no segment is left. */
  async trimNext(): Promise<number | undefined> {
    for (const ref of await readSegments(this.#context.reads)) {
      if (ref.kind !== 'stored' || ref.oldest >= this.#before || ref.newest <= this.#after || this.#skipped.has(ref.key)) continue
      if (ref.oldest > this.#after && ref.newest < this.#before) return this.#replace(ref, undefined)
      const old = await this.#countOld(ref)
      if (old > 0 && old >= ref.count * rewrittenShare) return this.#replace(ref, await this.#buildRemaining(ref))
      this.#skipped.add(ref.key)
    }
    return undefined
  }

  #isOld(occurred: Micros): boolean {
    return occurred < this.#before && occurred > this.#after
  }

  async #countOld(ref: SegmentRef): Promise<number> {
    let count = 0
    for await (const { columns } of this.#index.load([ref], ['columns']))
      for (const occurred of columns.occurred) if (this.#isOld(occurred)) count += 1
    return count
  }

  async #buildRemaining(ref: SegmentRef): Promise<SegmentBuilder> {
    const builder = new SegmentBuilder(ref.count)
    for (let head = ref.first - 1, more = true; more; ) {
      const rows = await this.#index.rows.after(ref, head, readBatchSize)
      await builder.add(rows.filter(({ occurred }) => !this.#isOld(occurred)))
      head = rows.at(-1)?.position ?? head
      more = rows.length === readBatchSize
      await yieldToEventLoop()
    }
    return builder
  }

  /** Replaces a segment by another one or none. Returns how many events were removed: 0 when another server was faster. */
  async #replace(ref: SegmentRef, remaining: SegmentBuilder | undefined): Promise<number> {
    const kept = remaining?.positions.length ?? 0
    const segment = remaining && kept > 0 ? await remaining.encode() : undefined
    return this.#context.commands.submit(async (tx) => {
      await lockSegments(tx)
      if (!(await removeSegment(tx, ref))) return 0
      if (segment) await insertEncoded(tx, segment)
      await markSegmentsChanged(tx, { removesRows: false })
      return ref.count - kept
    })
  }
}
