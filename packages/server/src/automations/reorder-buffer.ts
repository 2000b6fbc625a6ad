import { flowRunStates } from '../domains/run-states/store.ts'
import { type EventKey, type EventRow, readEventsByKey } from '../events/store.ts'
import { addSeconds, type Micros } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import type { Row } from '../storage/tables.ts'

type HeldEventRow = Row<'automation_early_event'>

/** An event that comes before the one it follows is kept back for so long at most; the other may never come. */
const holdSecondsMax = 15 * 60

const heldFor = statement(
  (dialect) => `select * from automation_early_event where ${dialect.inList('follows', '$1', 'uuid')} or until <= $2 order by log_position`,
)
const predecessorEvents = statement(
  (dialect) => `select event.id, event.position, early.log_position is not null as early
    from event left join automation_early_event early on early.log_position = event.position where ${dialect.inList('event.id', '$1', 'uuid')}`,
)
const removeHeld = statement(
  (dialect) => `delete from automation_early_event where ${dialect.inList('log_position', '$1', 'int')} returning log_position`,
)

/** An event in its turn, and the place at which what it sets off counts as having happened. */
export interface OrderedEvent {
  readonly row: EventRow
  readonly at: Micros
  readonly position: number
}

export interface ReorderResult {
  readonly ready: readonly OrderedEvent[]
  /** Those that have to wait. */
  readonly held: readonly HeldEventRow[]
  /** Positions of those that have waited until now. */
  readonly released: readonly number[]
}

/**
 * The turns of the next events of the log: each after the one that it follows. Clients of one run send from several processes, so that `Completed` may arrive
 * before `Running`; shown in that order a trigger that expects the one after the other would be misled. Only events that somebody cares for are kept back,
 * and only while their predecessor can still come.
 */
export async function reorderEvents(
  reads: Db,
  rows: readonly EventRow[],
  isRelevant: (row: EventRow) => boolean,
  now: Micros,
): Promise<ReorderResult> {
  const kept = await readHeld(reads, rows, now)
  const keptRows = new Map((await readEventsByKey(reads, kept.map(keyOf))).map((row) => [row.position, row]))
  const mayBeEarly = (row: EventRow) => row.follows !== null && row.received > addSeconds(now, -holdSecondsMax) && isRelevant(row)
  const before = await resolvedPredecessors(reads, rows, mayBeEarly)
  const shown: OrderedEvent[] = []
  const seen = new Set<string>()
  const waiting = new Map<string, EventRow[]>()
  const wait = (row: EventRow) => waiting.set(row.follows as string, [...(waiting.get(row.follows as string) ?? []), row])
  const show = (row: EventRow, at: Micros, position: number): void => {
    shown.push({ row, at, position })
    seen.add(row.id)
    // What waited counts from the moment of what it waited for.
    for (const next of waiting.get(row.id) ?? []) show(next, Math.max(next.received, at + 1), position)
    waiting.delete(row.id)
  }

  const expired = kept.filter(({ until }) => until <= now)
  for (const { log_position: position, until } of kept) if (until > now && keptRows.has(position)) wait(keptRows.get(position) as EventRow)
  for (const { log_position: position, until } of expired) if (keptRows.has(position)) show(keptRows.get(position) as EventRow, until, position)
  for (const row of rows) {
    if (mayBeEarly(row) && !before.has(row.follows as string) && !seen.has(row.follows as string)) wait(row)
    else show(row, row.received, row.position)
  }
  const still = [...waiting.values()].flat().filter(({ position }) => !keptRows.has(position))
  return {
    ready: shown,
    held: still.map(({ id, position, occurred, follows, received }) => ({
      log_position: position,
      event_id: id,
      occurred,
      follows: follows as string,
      until: addSeconds(received, holdSecondsMax),
    })),
    // Those that were trimmed meanwhile too.
    released: kept.flatMap(({ log_position: position, event_id }) => (seen.has(event_id) || !keptRows.has(position) ? [position] : [])),
  }
}

const keyOf = ({ occurred, log_position }: HeldEventRow): EventKey => ({ occurred, position: log_position })

/** What was kept back and waits for one of the events, or for what waits for it; and what has waited long enough. */
async function readHeld(reads: Db, rows: readonly EventRow[], now: Micros): Promise<HeldEventRow[]> {
  const found = new Map<number, HeldEventRow>()
  for (let ids = rows.map(({ id }) => id), more = true; more; ) {
    const next = (await reads.all<HeldEventRow>(heldFor, [reads.dialect.list(ids), now])).filter(({ log_position }) => !found.has(log_position))
    for (const row of next) found.set(row.log_position, row)
    ids = next.map(({ event_id }) => event_id)
    more = next.length > 0
  }
  return [...found.values()].sort((a, b) => a.log_position - b.log_position)
}

/** Predecessors that need no wait: those that were shown before these rows, and those that have no event and never will. */
async function resolvedPredecessors(reads: Db, rows: readonly EventRow[], mayBeEarly: (row: EventRow) => boolean): Promise<Set<string>> {
  const ids = [...new Set(rows.filter(mayBeEarly).map(({ follows }) => follows as string))]
  const first = rows[0]?.position ?? 0
  if (ids.length === 0) return new Set()
  const found = await readPredecessors(reads, ids)
  const missing = ids.filter((id) => !found.has(id))
  const settled = [...found.values()].flatMap(({ id, position, early }) => (position < first && !early ? [id] : []))
  return new Set([...settled, ...(await neverEmitted(reads, missing))])
}

/**
 * A flow run state is written in the transaction of its event. One that is on record and has no event in the log never had one: a planned run, or an
 * adopted one. The log is asked again after the states, as both may have been committed between the first look and this one.
 */
async function neverEmitted(reads: Db, ids: readonly string[]): Promise<string[]> {
  const recorded = ids.length === 0 ? [] : await flowRunStates.filterExisting(reads, ids)
  if (recorded.length === 0) return []
  const emitted = await readPredecessors(reads, recorded)
  return recorded.filter((id) => !emitted.has(id))
}

interface Predecessor {
  readonly id: string
  readonly position: number
  /** Whether it waits for a predecessor of its own. */
  readonly early: boolean | number
}

const readPredecessors = async (reads: Db, ids: readonly string[]): Promise<Map<string, Predecessor>> =>
  new Map((await reads.all<Predecessor>(predecessorEvents, [reads.dialect.list(ids)])).map((row) => [row.id, row]))

export const holdEvents = (tx: Tx, early: readonly HeldEventRow[]): Promise<number> => tx.insert('automation_early_event', [...early])

/** Takes out what has waited; the positions that nobody else has taken out before. */
export async function releaseEvents(tx: Tx, positions: readonly number[]): Promise<Set<number>> {
  if (positions.length === 0) return new Set()
  const rows = await tx.all<{ log_position: number }>(removeHeld, [tx.dialect.list([...positions])])
  return new Set(rows.map(({ log_position }) => log_position))
}
