import { type Db, statement, type Tx } from '../../storage/database.ts'
import { readCursor } from '../cursor.ts'
import type { Range } from '../where.ts'
import { type Bounds, type PartName, partNames } from './chapter.ts'

/** A chapter that is kept. Its version goes up when events of it are trimmed. */
export interface KeptChapter extends Bounds {
  readonly version: number
}

const all = statement('select first, last, count, oldest, newest, version from event_chapter order by first')
const partsOf = statement((dialect) => `select first, body from event_chapter_part where ${dialect.inList('first', '$1', 'int')} and part = $2`)
const lastKept = statement('select coalesce(max(last), 0) as last from event_chapter')
const insert = statement(
  'insert into event_chapter (first, last, count, oldest, newest, version) values ($1, $2, $3, $4, $5, 0) on conflict (first) do nothing',
)
const insertPart = statement('insert into event_chapter_part (first, part, body) values ($1, $2, $3)')
const left = statement('select position from event where position >= $1 and position <= $2 and occurred >= $3 and occurred <= $4')

export const readChapters = (db: Db): Promise<KeptChapter[]> => db.all<KeptChapter>(all)

export const readPart = (db: Db, name: PartName, firsts: readonly number[]): Promise<{ first: number; body: Uint8Array }[]> =>
  db.all(partsOf, [db.dialect.list(firsts), name])

/** Up to where the log is in chapters. */
export const readLastKept = async (db: Db): Promise<number> => Number((await db.first<{ last: number }>(lastKept))?.last ?? 0)

/** The positions of a chapter whose events are still there. */
export const readLeft = async (db: Db, { first, last, oldest, newest }: Bounds): Promise<number[]> =>
  (await db.all<{ position: number }>(left, [first, last, oldest, newest])).map(({ position }) => position)

/** False when another server was faster. */
export async function keepChapter(tx: Tx, { first, last, count, oldest, newest }: Bounds, made: Record<PartName, Uint8Array>): Promise<boolean> {
  if ((await tx.run(insert, [first, last, count, oldest, newest])) === 0) return false
  for (const name of partNames) await tx.run(insertPart, [first, name, made[name]])
  return true
}

/** Counts the transactions that trimmed events. */
const trims = 'event-trims'
const beginTrims = statement(
  `insert into event_cursor (name, seen) values ('${trims}', 1) on conflict (name) do update set seen = event_cursor.seen + 1`,
)
const outdate = statement('update event_chapter set version = version + 1 where oldest <= $2 and newest >= $1')
const removeEmpty = statement(
  `delete from event_chapter where newest <= $1
    and not exists (select 1 from event where position >= first and position <= last and occurred >= oldest and occurred <= newest)`,
)

export const readTrims = async (db: Db): Promise<number> => (await readCursor(db, trims)) ?? 0

/** Tells the chapters that events of a range were trimmed, in the same transaction; those of which nothing is left go too. */
export async function noteTrimmedEvents(tx: Tx, { since, until }: Range): Promise<void> {
  await tx.run(beginTrims)
  await tx.run(outdate, [since, until])
  await tx.run(removeEmpty, [until])
}
