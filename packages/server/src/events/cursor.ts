import { type Db, statement, type Tx } from '../storage/database.ts'
import { readRowsAfter } from './segments/log-rows.ts'
import { segmentIndexOf } from './segments/segment-index.ts'
import type { EventRow } from './store.ts'

/**
 * Durable cursors in the event log. Positions are assigned in commit order (see `runInLogOrder` of connections): no event is ever added at or before a
 * position that a reader has seen. Positions have gaps.
 *
 * A consumer that must not miss an event across restarts stores its position under a name, and advances it in the transaction that writes its results:
 *
 *     const seen = await readCursor(reads, 'automations')
 *     const events = await readEventsAfter(reads, seen, 200)
 *     await writeQueue.submit(async (tx) => {
 *       if (!(await advanceCursor(tx, 'automations', seen, events.at(-1).position))) return // another replica was faster
 *       // write the results
 *     })
 */

/** The SQL of the position of the newest event; 0 in an empty log. Removed events may have been newer, so it can be lower than a cursor. */
export const headOfLog =
  '(select coalesce(max(position), 0) from (select max(position) as position from event union all select max(last) from event_segment) heads)'
/** The SQL of the position of the consumer with the name of the first parameter; null when it has no cursor. */
export const cursorOfConsumer = '(select seen from event_cursor where name = $1)'
const headPosition = statement(`select ${headOfLog} as position`)
const cursorByName = statement(`select ${cursorOfConsumer} as seen`)
const advance = statement('update event_cursor set seen = $3 where name = $1 and seen = $2')

/** The next events of the log, in commit order, wherever they are stored by now. */
export const readEventsAfter = (db: Db, position: number, limit: number): Promise<EventRow[]> =>
  readRowsAfter(db, segmentIndexOf(db).rows, position, limit)

/** The position of the newest event. */
export const readHead = async (db: Db): Promise<number> => Number((await db.first<{ position: number }>(headPosition))?.position ?? 0)

/** The position of a consumer; undefined when it has no cursor. */
export const readCursor = async (db: Db, name: string): Promise<number | undefined> =>
  (await db.first<{ seen: number | null }>(cursorByName, [name]))?.seen ?? undefined

/** Creates a cursor at a position. An existing cursor stays where it is. */
export const createCursor = (tx: Tx, name: string, seen: number): Promise<number> =>
  tx.insert('event_cursor', [{ name, seen }], { onConflict: 'on conflict (name) do nothing' })

/** Advances a cursor. False when another server has moved it since it was read. */
export const advanceCursor = async (tx: Tx, name: string, from: number, to: number): Promise<boolean> => (await tx.run(advance, [name, from, to])) > 0
