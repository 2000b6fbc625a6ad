import { yieldToEventLoop } from '../../lib/time-slice.ts'
import { type Db, type Statement, statement, type Tx } from '../../storage/database.ts'
import type { SegmentBounds, SegmentPartName, SegmentParts } from './segment.ts'

/**
 * `stored`: parts and rows are in `event_segment_part`. `legacy`: written by an older version, with its rows still in `event`. `memory`: the newest events, not
 * stored yet.
 */
type SegmentKind = 'stored' | 'legacy' | 'memory'

/** A segment that is not loaded. Stored segments never change: retention replaces them by others. */
export interface SegmentRef extends SegmentBounds {
  /** Identifies the segment and its content in caches. */
  readonly key: string
  readonly kind: SegmentKind
  /** The id in `event_segment`, or `first` of a legacy segment. */
  readonly id: number
  /** Pairs of start index and first position of each row block, both relative to the segment. */
  readonly blocks: Uint32Array
  /** Whether events of the legacy segment were removed after it was stored. Its parts are built from the rows. */
  readonly isPartial: boolean
}

/** A loaded segment with the parts that were requested. */
export interface Segment extends SegmentBounds, SegmentParts {
  readonly ref: SegmentRef
}

/** Queries of `event` are planned each time, which takes 0.1 ms. A plan that was made while the table had a few rows would scan all of it after a burst. */
export const forCurrentSize = { replans: true } as const

/**
 * The SQL of the first $2 rows after position $1. PostgreSQL has no statistics about the newest rows. It would expect few of them after a known position, and read
 * and sort all of them to return the first. It does not know the value of a subquery, expects a third of the table, and reads the index in its order.
 */
export const rowsAfterPosition = '(select * from event where position > (select cast($1 as bigint)) order by position limit $2)'

interface SegmentRow extends SegmentBounds {
  readonly id: number
  readonly blocks: Uint8Array
}

const storedSegments = statement('select id, first, last, count, oldest, newest, blocks from event_segment order by first')
/** One snapshot. The ids of removed segments are not used again. */
const storedSince = statement(`select (select count(*) from event_segment) as total, segment.* from (select 1 as one) one
  left join (select id, first, last, count, oldest, newest, blocks from event_segment where id > $1) segment on 1 = 1`)
const storedAfter = statement('select id, first, last, count, oldest, newest, blocks from event_segment where last > $1 order by last limit $2')
const storedAt = statement('select id, first, last, count, oldest, newest, blocks from event_segment where oldest <= $1 and newest >= $1')
const legacySegments = statement('select first, last, count, oldest, newest, version from event_chapter order by first')
const partsBySegment = statement(
  (dialect) =>
    `select segment_id, body from event_segment_part where ${dialect.inList('segment_id', '$1', 'int')} and part = $2 order by segment_id, block`,
)
const partsByLegacy = statement(
  (dialect) => `select first as segment_id, body from event_chapter_part where ${dialect.inList('first', '$1', 'int')} and part = $2`,
)
const blocksOf = (part: 'ids' | 'rows') =>
  statement(
    (dialect) => `select block, body from event_segment_part where segment_id = $1 and part = '${part}' and ${dialect.inList('block', '$2', 'int')}`,
  )
const idBlocks = blocksOf('ids')
const rowBlocks = blocksOf('rows')

/** All segments in the order of positions. */
export async function readSegments(db: Db): Promise<SegmentRef[]> {
  const stored = (await db.all<SegmentRow>(storedSegments)).map(toStoredRef)
  return inOrder([...stored, ...(await readLegacySegments(db))])
}

/**
 * The same, if some of them are known. Then only those that were stored since are read: there is one for each 4,096 events, and under load a query finds new
 * ones every second. Returns the known list if it has not changed.
 */
export async function readSegmentsSince(db: Db, known: readonly SegmentRef[]): Promise<readonly SegmentRef[]> {
  const newest = known.reduce((id, ref) => Math.max(id, ref.id), 0)
  const rows = await db.all<(SegmentRow | { readonly id: null }) & { readonly total: number }>(storedSince, [newest])
  const added = rows.flatMap(({ total: _, ...row }) => (row.id === null ? [] : toStoredRef(row)))
  const legacy = await readLegacySegments(db)
  // Others were removed: retention replaces segments, and legacy segments are converted.
  if (legacy.length > 0 || known.some(({ kind }) => kind !== 'stored') || Number(rows[0]?.total) !== known.length + added.length)
    return readSegments(db)
  return added.length === 0 ? known : inOrder([...known, ...added])
}

/** In the order of positions. Mostly there are none. */
export async function readLegacySegments(db: Db): Promise<SegmentRef[]> {
  const rows = await db.all<SegmentBounds & { version: number }>(legacySegments)
  return rows.map(({ version, ...bounds }) => ({
    ...bounds,
    key: `legacy ${bounds.first}`,
    kind: 'legacy',
    id: bounds.first,
    blocks: new Uint32Array(),
    isPartial: version > 0,
  }))
}

const inOrder = (refs: SegmentRef[]): SegmentRef[] => refs.sort((a, b) => a.first - b.first)

/** The next stored segments with events after a position. */
export const readSegmentsAfter = async (db: Db, position: number, limit: number): Promise<SegmentRef[]> =>
  (await db.all<SegmentRow>(storedAfter, [position, limit])).map(toStoredRef)

/** The stored segments whose time range contains a time. */
export const readSegmentsAt = async (db: Db, occurred: number): Promise<SegmentRef[]> =>
  (await db.all<SegmentRow>(storedAt, [occurred])).map(toStoredRef)

function toStoredRef({ blocks, ...row }: SegmentRow): SegmentRef {
  // A copy, because the bytes of a row need not be aligned.
  const directory = new Uint32Array(new Uint8Array(blocks).buffer)
  return { ...row, key: `segment ${row.id}`, kind: 'stored', blocks: directory, isPartial: false }
}

/** Reads a part of several segments of one kind. A part in several blocks has several rows. */
export async function readSegmentParts(
  db: Db,
  kind: SegmentKind,
  part: SegmentPartName | 'ids',
  ids: readonly number[],
): Promise<{ segment_id: number; body: Uint8Array }[]> {
  if (ids.length === 0 || kind === 'memory') return []
  return db.all(kind === 'stored' ? partsBySegment : partsByLegacy, [db.dialect.list(ids), part])
}

/** Reads row blocks of a segment with the ids of their events. Blocks of a removed segment are missing. */
export async function readRowBlocks(db: Db, id: number, starts: readonly number[]): Promise<{ start: number; ids: Uint8Array; body: Uint8Array }[]> {
  const read = (query: Statement) => db.all<{ block: number; body: Uint8Array }>(query, [id, db.dialect.list(starts)])
  const [ids, bodies] = [await read(idBlocks), await read(rowBlocks)]
  const idsByBlock = new Map(ids.map(({ block, body }) => [block, body]))
  return bodies.flatMap(({ block, body }) => {
    const idBytes = idsByBlock.get(block)
    return idBytes ? [{ start: block, ids: idBytes, body }] : []
  })
}

/** One row of `event_segment_part`. */
export interface StoredPart {
  readonly part: string
  readonly block: number
  readonly body: Uint8Array
}

const insertBounds = statement('insert into event_segment (first, last, count, oldest, newest, blocks) values ($1, $2, $3, $4, $5, $6) returning id')
const partsPerInsert = 8
const insertParts = Array.from({ length: partsPerInsert }, (_, index) => {
  const rows = Array.from({ length: index + 1 }, (_, n) => `($1, $${n * 3 + 2}, $${n * 3 + 3}, $${n * 3 + 4})`)
  return statement(`insert into event_segment_part (segment_id, part, block, body) values ${rows.join(', ')}`)
})

/** Inserts a segment. The caller has locked the segments. */
export async function insertSegment(
  tx: Tx,
  { first, last, count, oldest, newest }: SegmentBounds,
  directory: Uint32Array,
  parts: readonly StoredPart[],
): Promise<void> {
  const blocks = new Uint8Array(directory.buffer, directory.byteOffset, directory.byteLength)
  const [inserted] = await tx.runReturning<{ id: number }>(insertBounds, [first, last, count, oldest, newest, blocks])
  const id = Number(inserted?.id)
  // Not awaited one by one: on PostgreSQL they share a round trip.
  const inserts: Promise<number>[] = []
  for (let from = 0; from < parts.length; from += partsPerInsert) {
    const rows = parts.slice(from, from + partsPerInsert)
    const values = rows.flatMap(({ part, block, body }) => [part, block, body])
    inserts.push(tx.run(insertParts[rows.length - 1] as Statement, [id, ...values]))
  }
  await Promise.all(inserts)
}

const deleteSegment = statement('delete from event_segment where id = $1')
const deleteLegacy = statement('delete from event_chapter where first = $1')
const deleteRows = statement('delete from event where position >= $1 and position <= $2')

/** Deletes a stored segment or a legacy segment. False when another server has done so. */
export const removeSegment = async (tx: Tx, { kind, id }: SegmentRef): Promise<boolean> =>
  (await tx.run(kind === 'legacy' ? deleteLegacy : deleteSegment, [id])) > 0

/** Rows per statement: some milliseconds on SQLite. Requests are served between two statements; writes wait for the commit, so there are few. */
const rowsPerDelete = 2048

/** Deletes the rows of a segment from the table. Returns their number. */
export async function deleteSegmentRows(tx: Tx, positions: readonly number[]): Promise<number> {
  let deleted = 0
  for (let from = 0; from < positions.length; from += rowsPerDelete) {
    const slice = positions.slice(from, from + rowsPerDelete)
    deleted += await tx.run(deleteRows, [slice[0] as number, slice.at(-1) as number])
    await yieldToEventLoop()
  }
  return deleted
}

/** Counts the transactions that store or remove segments, and those that remove events from the log. */
export interface LogRevision {
  readonly segments: number
  readonly trims: number
}

const segmentsCounter = 'event-segments'
const trimsCounter = 'event-trims'

/** Select list of the revision, for statements that read it in the snapshot of other rows. */
export const revisionColumns = `(select seen from event_cursor where name = '${segmentsCounter}') as segments,
  coalesce((select seen from event_cursor where name = '${trimsCounter}'), 0) as trims`
const revision = statement(`select ${revisionColumns}`)
const lockCounter = statement((dialect) => `select seen from event_cursor where name = '${segmentsCounter}' ${dialect.forUpdate}`)
const increment = (name: string) =>
  statement(`insert into event_cursor (name, seen) values ('${name}', 1) on conflict (name) do update set seen = event_cursor.seen + 1`)
const incrementSegments = increment(segmentsCounter)
const incrementTrims = increment(trimsCounter)

export const readRevision = async (db: Db): Promise<LogRevision> => (await db.first<LogRevision>(revision)) as LogRevision

/** Waits until no other transaction changes segments or removes events. Returns the revision. */
export async function lockSegments(tx: Tx): Promise<LogRevision> {
  await tx.first(lockCounter)
  return readRevision(tx)
}

/** Reports a change of segments in its transaction. */
export async function markSegmentsChanged(tx: Tx, options: { readonly removesRows: boolean }): Promise<void> {
  await tx.run(incrementSegments)
  if (options.removesRows) await tx.run(incrementTrims)
  tx.notify(segmentsTopic)
}

/** The topic of the bus for changes of segments. */
export const segmentsTopic = 'event-segments'
