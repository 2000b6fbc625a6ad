import { type Db, statement, type Tx } from '../storage/database.ts'
import type { EventRow } from './store.ts'

/**
 * Reading the log without missing anything. Positions are given in the order of commits (see `runInLogOrder` of connections): whoever has seen
 * position n has seen everything up to n that there will ever be, and goes on after it. Positions have gaps.
 *
 * A consumer that must not miss an event across restarts keeps its position here under a name of its own, and moves it in the transaction that
 * writes what it made of the events:
 *
 *     const seen = await readCursor(reads, 'automations')
 *     const events = await readEventsAfter(reads, seen, 200)
 *     await lane.submit(async (tx) => {
 *       // … and only then:
 *       if (!(await moveCursor(tx, 'automations', seen, events.at(-1).position))) return // another replica was faster
 *     })
 */
const eventsAfter = statement('select * from event where position > $1 order by position limit $2')
const headPosition = statement('select coalesce(max(position), 0) as position from event')
const cursorByName = statement('select seen from event_cursor where name = $1')
const advance = statement('update event_cursor set seen = $3 where name = $1 and seen = $2')

/** The next events of the log, in the order in which they were committed. */
export const readEventsAfter = (db: Db, position: number, limit: number): Promise<EventRow[]> => db.all<EventRow>(eventsAfter, [position, limit])

/** The position of the newest event, 0 in an empty log. What was trimmed may have been newer: compare with the cursor, which never goes back. */
export const readHead = async (db: Db): Promise<number> => Number((await db.first<{ position: number }>(headPosition))?.position ?? 0)

/** Where a consumer stands; undefined when it has never read. */
export const readCursor = async (db: Db, name: string): Promise<number | undefined> => (await db.first<{ seen: number }>(cursorByName, [name]))?.seen

/** Lets a consumer begin at a position; one that has begun already stays where it is. */
export const createCursor = (tx: Tx, name: string, seen: number): Promise<number> =>
  tx.insert('event_cursor', [{ name, seen }], { onConflict: 'on conflict (name) do nothing' })

/** Moves a consumer on from where it stood; false when it stood elsewhere by then, and nothing was moved. */
export const advanceCursor = async (tx: Tx, name: string, from: number, to: number): Promise<boolean> => (await tx.run(advance, [name, from, to])) > 0
