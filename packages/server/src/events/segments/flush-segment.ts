import { yieldToEventLoop } from '../../lib/time-slice.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import type { EventRow } from '../store.ts'
import { compress } from './column-codec.ts'
import { RowBlockWriter } from './row-blocks.ts'
import { partNames, type SegmentBounds } from './segment.ts'
import {
  deleteSegmentRows,
  insertSegment,
  lockSegments,
  markSegmentsChanged,
  readRevision,
  readSegments,
  removeSegment,
  replanHint,
  type StoredPart,
} from './segment-store.ts'
import { SegmentWriter, segmentEventsMax } from './segment-writer.ts'

/** Rows per query: some milliseconds of work, so that requests are not delayed. */
const readBatchSize = 100

const rowsBetween = statement(`${replanHint} select * from event where position >= $1 and position <= $2 order by position limit $3`)
const tailBounds = statement('select min(position) as first, max(position) as last from event where position > $1')
const lastLegacy = statement('select coalesce(max(last), 0) as last from event_chapter')

/** A segment that is ready to be inserted. */
export interface EncodedSegment {
  readonly bounds: SegmentBounds
  readonly directory: Uint32Array
  readonly parts: readonly StoredPart[]
}

/** Collects rows and encodes them as a segment with all parts. */
export class SegmentBuilder {
  readonly positions: number[] = []
  readonly #writer: SegmentWriter
  readonly #rows = new RowBlockWriter()

  constructor(size: number) {
    this.#writer = new SegmentWriter(size)
  }

  /** Adds rows, which need much more memory than what is kept of them. */
  async add(rows: readonly EventRow[]): Promise<void> {
    for (const row of rows) {
      this.positions.push(row.position)
      this.#writer.add(row)
      this.#rows.add(row)
    }
    this.#writer.analyzePayloads()
    await this.#rows.encodeFull()
  }

  async encode(): Promise<EncodedSegment> {
    const encoded = await this.#writer.encode()
    const parts: StoredPart[] = []
    for (const part of partNames) parts.push({ part, block: 0, body: await compress(encoded[part]) })
    for (const { start, ids, body } of await this.#rows.finish())
      parts.push({ part: 'ids', block: start, body: ids }, { part: 'rows', block: start, body })
    return { bounds: this.#writer.bounds(), directory: this.#rows.directory(), parts }
  }
}

export const insertEncoded = (tx: Tx, { bounds, directory, parts }: EncodedSegment): Promise<void> => insertSegment(tx, bounds, directory, parts)

/** Moves the oldest events of the table into a segment. False when there are fewer than `size`. */
export async function flushNextSegment({ writeQueue, reads }: ServerContext, signal: AbortSignal, size = segmentEventsMax): Promise<boolean> {
  const revision = await readRevision(reads)
  const after = (await reads.first<{ last: number }>(lastLegacy))?.last ?? 0
  const bounds = await reads.first<{ first: number | null; last: number }>(tailBounds, [after])
  if (bounds?.first == null || bounds.last - bounds.first + 1 < size) return false
  const builder = await buildFromTable(reads, bounds.first, bounds.last, size, signal)
  // Positions have gaps, so there may be fewer events than the positions suggest.
  if (!builder || builder.positions.length < size) return false
  const segment = await builder.encode()
  return writeQueue.submit(async (tx) => {
    // Another server was faster, or events were removed while the segment was built.
    if ((await lockSegments(tx)).segments !== revision.segments) return false
    await storeInsteadOfRows(tx, segment, builder.positions)
    await markSegmentsChanged(tx, { removesRows: false })
    return true
  })
}

/** Turns the oldest legacy segment into a segment. False when there is none. */
export async function convertNextLegacySegment({ writeQueue, reads }: ServerContext, signal: AbortSignal): Promise<boolean> {
  const legacy = (await readSegments(reads)).find(({ kind }) => kind === 'legacy')
  if (!legacy) return false
  const builder = await buildFromTable(reads, legacy.first, legacy.last, legacy.count, signal)
  if (!builder) return false
  const segment = builder.positions.length > 0 ? await builder.encode() : undefined
  return writeQueue.submit(async (tx) => {
    await lockSegments(tx)
    if (!(await removeSegment(tx, legacy))) return false
    if (segment) await storeInsteadOfRows(tx, segment, builder.positions)
    await markSegmentsChanged(tx, { removesRows: false })
    return true
  })
}

/** Reads rows of the table. Undefined when the signal aborts. */
async function buildFromTable(reads: Db, first: number, last: number, size: number, signal: AbortSignal): Promise<SegmentBuilder | undefined> {
  const builder = new SegmentBuilder(size)
  for (let from = first; builder.positions.length < size; ) {
    const rows = await reads.all<EventRow>(rowsBetween, [from, last, Math.min(readBatchSize, size - builder.positions.length)])
    if (signal.aborted) return undefined
    await builder.add(rows)
    const lastRow = rows.at(-1)
    if (!lastRow) break
    from = lastRow.position + 1
    await yieldToEventLoop()
  }
  return builder
}

/** In one transaction, so that an event is always in exactly one place. */
async function storeInsteadOfRows(tx: Tx, segment: EncodedSegment, positions: readonly number[]): Promise<void> {
  await insertEncoded(tx, segment)
  const deleted = await deleteSegmentRows(tx, positions)
  if (deleted !== positions.length) throw new Error(`A segment has ${positions.length} events, but ${deleted} rows were deleted from the event log`)
}

const vacuum = statement((dialect) => dialect.logMaintenance?.vacuum ?? '')
const dropEmptyPartitions = statement((dialect) => dialect.logMaintenance?.dropEmptyPartitions ?? '')
const hasPartitions = statement((dialect) => dialect.logMaintenance?.hasPartitions ?? '')

/**
 * Makes the space of moved rows usable again. Autovacuum looks once a minute, and a burst would double the table several times in between: a vacuum of the
 * short table takes milliseconds. Failures are left to autovacuum and to the next pass, such as those of a user who does not own the table.
 */
export async function maintainLog({ reads, writeQueue }: ServerContext): Promise<void> {
  if (!reads.dialect.logMaintenance) return
  try {
    await reads.all(vacuum)
    if (await reads.first(hasPartitions)) await writeQueue.submit((tx) => tx.first(dropEmptyPartitions))
  } catch (error) {
    if (reads.dialect.isUnavailable(error) && !reads.dialect.isTransient(error)) throw error
  }
}
