import { yieldToEventLoop } from '../../lib/time-slice.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ActingContext, ServerContext } from '../../storage/server-context.ts'
import type { EventRow } from '../store.ts'
import { type EncodedSegment, type SegmentBuild, SegmentBuilder } from './segment-builder.ts'
import {
  deleteSegmentRows,
  forCurrentSize,
  insertSegment,
  lockSegments,
  markSegmentsChanged,
  readLegacySegments,
  readRevision,
  removeSegment,
} from './segment-store.ts'
import { segmentThread } from './segment-thread.ts'
import { segmentEventsMax } from './segment-writer.ts'

/** Positions per query: some milliseconds of work, so that requests are not delayed. */
const readBatchSize = 100

/**
 * Not limited to a number of rows: PostgreSQL has no statistics about the newest ones. It would expect few of them, and read and sort all of them to return the
 * first.
 */
const rowsBetween = statement('select * from event where position >= $1 and position <= $2 order by position', forCurrentSize)
/** Two subselects are one index step each; on SQLite min and max in one select read all rows. */
const tailBounds = statement(
  'select (select min(position) from event where position > $1) as first, (select max(position) from event where position > $1) as last',
)
const lastLegacy = statement('select coalesce(max(last), 0) as last from event_chapter')

export const insertEncoded = (tx: Tx, { bounds, directory, parts }: EncodedSegment): Promise<void> => insertSegment(tx, bounds, directory, parts)

/** Moves the oldest events of the table into a segment. False when there are fewer than `size`. */
export async function flushNextSegment(context: ActingContext, signal: AbortSignal, size = segmentEventsMax): Promise<boolean> {
  const { commands, reads } = context
  const revision = await readRevision(reads)
  const after = (await reads.first<{ last: number }>(lastLegacy))?.last ?? 0
  const bounds = await readTailBounds(reads, after)
  if (bounds?.first == null || bounds.last - bounds.first + 1 < size) return false
  const build = await buildFromTable(context, { first: bounds.first, last: bounds.last, size }, signal)
  // Positions have gaps, so there may be fewer events than the positions suggest.
  if (!build || build.positions.length < size) return false
  const segment = await build.encode()
  return commands.submit(async (tx) => {
    // Another server was faster, or events were removed while the segment was built.
    if ((await lockSegments(tx)).segments !== revision.segments) return false
    await storeInsteadOfRows(tx, segment, build.positions)
    await markSegmentsChanged(tx, { removesRows: false })
    return true
  })
}

/** Turns the oldest legacy segment into a segment. False when there is none. */
export async function convertNextLegacySegment(context: ActingContext, signal: AbortSignal): Promise<boolean> {
  const { commands, reads } = context
  const [legacy] = await readLegacySegments(reads)
  if (!legacy) return false
  const build = await buildFromTable(context, { first: legacy.first, last: legacy.last, size: legacy.count }, signal)
  if (!build) return false
  const segment = build.positions.length > 0 ? await build.encode() : undefined
  return commands.submit(async (tx) => {
    await lockSegments(tx)
    if (!(await removeSegment(tx, legacy))) return false
    if (segment) await storeInsteadOfRows(tx, segment, build.positions)
    await markSegmentsChanged(tx, { removesRows: false })
    return true
  })
}

/** The first and last position after this one. */
const readTailBounds = (reads: Db, after: number) => reads.first<{ first: number | null; last: number }>(tailBounds, [after])

/** The rows of a segment in the table: those of the first `size` positions that have one. */
interface RowRange {
  readonly first: number
  readonly last: number
  readonly size: number
}

/** Reads rows of the table. Undefined when the signal aborts. */
async function buildFromTable(context: ServerContext, { first, last, size }: RowRange, signal: AbortSignal): Promise<SegmentBuild | undefined> {
  const build = beginSegment(context, size)
  for (let from = first; from <= last && build.positions.length < size; ) {
    const until = Math.min(last, from + Math.min(readBatchSize, size - build.positions.length) - 1)
    const rows = await context.reads.all<EventRow>(rowsBetween, [from, until])
    if (signal.aborted) return undefined
    if (rows.length > 0) await build.add(rows)
    // A gap may be long.
    from = rows.length > 0 ? until + 1 : ((await readTailBounds(context.reads, until))?.first ?? last + 1)
    await yieldToEventLoop()
  }
  return build
}

/** For few events a thread costs more than it saves. */
const beginSegment = (context: ServerContext, size: number): SegmentBuild =>
  context.usesThreads && size >= segmentEventsMax ? segmentThread(context).begin(size) : new SegmentBuilder(size)

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
export async function maintainLog({ reads, commands }: ActingContext): Promise<void> {
  if (!reads.dialect.logMaintenance) return
  try {
    await reads.all(vacuum)
    if (await reads.first(hasPartitions)) await commands.submit((tx) => tx.first(dropEmptyPartitions))
  } catch (error) {
    if (reads.dialect.isUnavailable(error) && !reads.dialect.isTransient(error)) throw error
  }
}
