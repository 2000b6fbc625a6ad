import { LazyJson } from '../lib/json.ts'
import { splitText } from '../lib/text-pieces.ts'
import { type Db, statement } from '../storage/database.ts'
import { inlineBytesMax } from '../storage/lazy-columns.ts'
import { idToBytes } from './segments/row-blocks.ts'
import { type SegmentIndex, segmentIndexOf } from './segments/segment-index.ts'
import { SegmentRows } from './segments/segment-rows.ts'
import { forCurrentSize, readSegmentsAt, type SegmentRef } from './segments/segment-store.ts'
import { uuidKeys } from './segments/sliced-filter.ts'
import type { EventKey, EventPageRow, EventRow } from './store.ts'

const byPosition = statement((dialect) => `select * from event where ${dialect.inList('position', '$1', 'int')}`, forCurrentSize)
const byId = statement((dialect) => `select * from event where ${dialect.inList('id', '$1', 'uuid')}`, forCurrentSize)

/** The events at the given positions, in any order. Events that retention has removed are missing. */
export async function readEventsByPosition(db: Db, positions: readonly number[]): Promise<EventRow[]> {
  const index = segmentIndexOf(db)
  const rows = await readStored(positions)
  const inTable = missing()
  if (inTable.length > 0) rows.push(...(await db.all<EventRow>(byPosition, [db.dialect.list(inTable)])))
  if (missing().length === 0) return rows
  // They may have moved into a segment since the last refresh.
  await index.refresh()
  return [...rows, ...(await readStored(missing()))]

  function missing(): readonly number[] {
    if (rows.length === positions.length) return []
    const found = new Set(rows.map(({ position }) => position))
    return positions.filter((position) => !found.has(position))
  }

  async function readStored(wanted: readonly number[]): Promise<EventRow[]> {
    const bySegment = new Map<SegmentRef, number[]>()
    for (const position of wanted) {
      const ref = index.storedAt(position)
      if (ref) bySegment.set(ref, [...(bySegment.get(ref) ?? []), position])
    }
    const found: EventRow[] = []
    for (const [ref, inSegment] of bySegment) found.push(...(await index.rows.at(ref, inSegment)))
    return found
  }
}

/** The events of a list in order. Retention may have removed some of them. */
export async function readEventsByKey(db: Db, keys: readonly EventKey[]): Promise<EventRow[]> {
  if (keys.length === 0) return []
  const rows = new Map(
    (
      await readEventsByPosition(
        db,
        keys.map(({ position }) => position),
      )
    ).map((row) => [row.position, row]),
  )
  return keys.flatMap(({ position }) => rows.get(position) ?? [])
}

/** Events of a page that are read together, so that a page of large events is never in memory at once. */
const pageBatchSize = 10

/** The events of a page in order, for a response. Large JSON is read again when it is written. */
export async function readEventPage(db: Db, keys: readonly EventKey[]): Promise<EventPageRow[]> {
  const page: EventPageRow[] = []
  for (let from = 0; from < keys.length; from += pageBatchSize) {
    for (const row of await readEventsByKey(db, keys.slice(from, from + pageBatchSize))) page.push(deferLargeJson(db, row))
  }
  return page
}

function deferLargeJson(db: Db, row: EventRow): EventPageRow {
  const defer = (column: 'resource' | 'related' | 'payload') =>
    row[column].length <= inlineBytesMax
      ? row[column]
      : new LazyJson(async () => splitText((await readEventsByPosition(db, [position]))[0]?.[column] ?? 'null'))
  const { position } = row
  return { ...row, resource: defer('resource'), related: defer('related'), payload: defer('payload') }
}

/** The events with the given ids, in any order. */
export async function readEventsById(db: Db, ids: readonly string[]): Promise<EventRow[]> {
  // The table first: an event that moves in between is then in a segment.
  const rows = await db.all<EventRow>(byId, [db.dialect.list(ids)])
  const found = new Set(rows.map(({ id }) => id))
  const missing = [...new Set(ids)].filter((id) => !found.has(id))
  if (missing.length === 0) return rows
  const index = segmentIndexOf(db)
  await index.refresh()
  for (const [ref, inSegment] of await groupByCandidate(
    index,
    db,
    missing.map((id) => ({ id })),
  )) {
    const open = inSegment.filter((id) => !found.has(id))
    for (const row of open.length > 0 ? await index.rows.withIds(ref, open) : []) {
      found.add(row.id)
      rows.push(row)
    }
  }
  return rows
}

/** The events with the given ids and times, in any order. Needs no segment index, so that a transaction can use it. */
export async function readEventsByReference(db: Db, references: readonly { readonly id: string; readonly occurred: number }[]): Promise<EventRow[]> {
  const rows = await db.all<EventRow>(byId, [db.dialect.list([...new Set(references.map(({ id }) => id))])])
  const found = new Set(rows.map(({ id }) => id))
  const segmentRows = new SegmentRows(db)
  for (const { id, occurred } of references) {
    for (const ref of found.has(id) ? [] : await readSegmentsAt(db, occurred)) {
      const [row] = await segmentRows.withIds(ref, [id])
      if (!row) continue
      rows.push(row)
      found.add(id)
      break
    }
  }
  return rows
}

/** What is known about ids of events that a client sent. */
export interface StoredIds {
  /** The ids that are in segments. */
  readonly known: ReadonlySet<string>
  /** The last position of the segments that were searched. */
  readonly checkedUntil: number
}

/**
 * Finds the ids that are in stored segments, as of the last refresh of the segment index. The table and later segments are searched when the events are
 * appended. `db` may be a transaction. An event in one of eight million newer ones is found by its id alone, an older one by its id and time.
 */
export async function findStoredIds(
  index: SegmentIndex,
  db: Db,
  events: readonly { readonly id: string; readonly occurred: number }[],
): Promise<StoredIds> {
  const checkedUntil = index.movedUntil
  const known = new Set<string>()
  if (checkedUntil === 0) return { known, checkedUntil }
  for (const [ref, ids] of await groupByCandidate(index, db, events)) {
    const found = await index.rows.indexesOf(db, ref, ids)
    for (const id of found?.keys() ?? []) known.add(id)
    if (found) continue
    // Retention has replaced the segment since the last refresh.
    await index.refreshStored(db)
    return findStoredIds(index, db, events)
  }
  return { known, checkedUntil }
}

async function groupByCandidate(
  index: SegmentIndex,
  db: Db,
  events: readonly { readonly id: string; readonly occurred?: number }[],
): Promise<Map<SegmentRef, string[]>> {
  const keys = uuidKeys(Buffer.concat(events.map(({ id }) => idToBytes(id))))
  const candidates = await index.candidatesForIds(
    db,
    events.map((event, n) => ({ ...event, key: keys[n] as number })),
  )
  const groups = new Map<SegmentRef, string[]>()
  for (const [n, refs] of candidates.entries()) {
    for (const ref of refs) groups.set(ref, [...(groups.get(ref) ?? []), (events[n] as { id: string }).id])
  }
  return groups
}
