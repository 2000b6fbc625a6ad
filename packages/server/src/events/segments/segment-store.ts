import { type Db, statement, type Tx } from '../../storage/database.ts'
import { readCursor } from '../cursor.ts'
import type { TimeRange } from '../where.ts'
import { partNames, type SegmentBounds, type SegmentPartName, type SegmentParts } from './segment.ts'

/** A row of `event_chapter`. The version increases when retention removes events of the segment. */
export interface StoredSegment extends SegmentBounds {
  readonly version: number
}

/** A segment that may not be stored yet. */
export interface SegmentRef extends StoredSegment {
  readonly isStored: boolean
}

/** A loaded segment with the parts that were requested. */
export interface Segment extends SegmentBounds, SegmentParts {
  /** 1 for each event that still exists; undefined when all do. */
  readonly remaining: Uint8Array | undefined
  readonly ref: SegmentRef
}

const allSegments = statement('select first, last, count, oldest, newest, version from event_chapter order by first')
const partsByFirst = statement((dialect) => `select first, body from event_chapter_part where ${dialect.inList('first', '$1', 'int')} and part = $2`)
const lastStored = statement('select coalesce(max(last), 0) as last from event_chapter')
const insertBounds = statement(
  'insert into event_chapter (first, last, count, oldest, newest, version) values ($1, $2, $3, $4, $5, 0) on conflict (first) do nothing',
)
const insertPart = statement('insert into event_chapter_part (first, part, body) values ($1, $2, $3)')
const remainingPositions = statement('select position from event where position >= $1 and position <= $2 and occurred >= $3 and occurred <= $4')

export const readSegments = (db: Db): Promise<StoredSegment[]> => db.all<StoredSegment>(allSegments)

export const readSegmentParts = (db: Db, name: SegmentPartName, firsts: readonly number[]): Promise<{ first: number; body: Uint8Array }[]> =>
  db.all(partsByFirst, [db.dialect.list(firsts), name])

/** The last position of the log that is in a stored segment. */
export const readLastStoredPosition = async (db: Db): Promise<number> => Number((await db.first<{ last: number }>(lastStored))?.last ?? 0)

/** The positions of a segment whose events still exist. */
export const readRemainingPositions = async (db: Db, { first, last, oldest, newest }: SegmentBounds): Promise<number[]> =>
  (await db.all<{ position: number }>(remainingPositions, [first, last, oldest, newest])).map(({ position }) => position)

/** False when another server has stored the segment. */
export async function insertSegment(
  tx: Tx,
  { first, last, count, oldest, newest }: SegmentBounds,
  parts: Record<SegmentPartName, Uint8Array>,
): Promise<boolean> {
  if ((await tx.run(insertBounds, [first, last, count, oldest, newest])) === 0) return false
  for (const name of partNames) await tx.run(insertPart, [first, name, parts[name]])
  return true
}

/** Counts the transactions that removed events. */
const trimCounter = 'event-trims'
const incrementTrimCounter = statement(
  `insert into event_cursor (name, seen) values ('${trimCounter}', 1) on conflict (name) do update set seen = event_cursor.seen + 1`,
)
const bumpVersions = statement('update event_chapter set version = version + 1 where oldest <= $2 and newest >= $1')
const removeEmptySegments = statement(
  `delete from event_chapter where newest <= $1
    and not exists (select 1 from event where position >= first and position <= last and occurred >= oldest and occurred <= newest)`,
)

export const readTrimCount = async (db: Db): Promise<number> => (await readCursor(db, trimCounter)) ?? 0

/** Invalidates the segments in a range after events were removed, in the same transaction. Deletes segments without events. */
export async function invalidateTrimmedSegments(tx: Tx, { since, until }: TimeRange): Promise<void> {
  await tx.run(incrementTrimCounter)
  await tx.run(bumpVersions, [since, until])
  await tx.run(removeEmptySegments, [until])
}
