import { flowRunStates } from '../domains/run-states/store.ts'
import { readEventsById, readEventsByKey } from '../events/log-reader.ts'
import type { EventKey, EventRow } from '../events/store.ts'
import { addSeconds, type Micros } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import type { Row } from '../storage/tables.ts'

type HeldEventRow = Row<'automation_early_event'>

/** The longest that an event is held for its predecessor, which may never arrive. */
const holdSecondsMax = 15 * 60

const heldFor = statement(
  (dialect) => `select * from automation_early_event where ${dialect.inList('follows', '$1', 'uuid')} or until <= $2 order by log_position`,
)
const heldPositions = statement((dialect) => `select log_position from automation_early_event where ${dialect.inList('log_position', '$1', 'int')}`)
const removeHeld = statement(
  (dialect) => `delete from automation_early_event where ${dialect.inList('log_position', '$1', 'int')} returning log_position`,
)

/** An event in evaluation order, with the time and log position that its firings get. */
export interface OrderedEvent {
  readonly row: EventRow
  readonly at: Micros
  readonly position: number
}

export interface ReorderResult {
  readonly ready: readonly OrderedEvent[]
  /** Events that wait for their predecessor. */
  readonly held: readonly HeldEventRow[]
  /** Positions of held events that wait no longer. */
  readonly released: readonly number[]
}

/**
 * Orders the next events of the log so that each comes after its predecessor (`follows`). The processes of one run send events independently, so `Completed`
 * may arrive before `Running`, and a trigger that expects one after the other would miss it. Only events that match a trigger are held, and only while
 * their predecessor can still arrive.
 */
export async function reorderEvents(
  reads: Db,
  rows: readonly EventRow[],
  isRelevant: (row: EventRow) => boolean,
  now: Micros,
): Promise<ReorderResult> {
  const heldBefore = await readHeld(reads, rows, now)
  const heldRows = new Map((await readEventsByKey(reads, heldBefore.map(keyOf))).map((row) => [row.position, row]))
  const mayWait = (row: EventRow) => row.follows !== null && row.received > addSeconds(now, -holdSecondsMax) && isRelevant(row)
  const resolved = await resolvedPredecessors(reads, rows, mayWait)
  const ready: OrderedEvent[] = []
  const readyIds = new Set<string>()
  const waiting = new Map<string, EventRow[]>()
  const wait = (row: EventRow) => waiting.set(row.follows as string, [...(waiting.get(row.follows as string) ?? []), row])
  const release = (row: EventRow, at: Micros, position: number): void => {
    ready.push({ row, at, position })
    readyIds.add(row.id)
    // A waiting event gets a time after its predecessor.
    for (const next of waiting.get(row.id) ?? []) release(next, Math.max(next.received, at + 1), position)
    waiting.delete(row.id)
  }

  const expired = heldBefore.filter(({ until }) => until <= now)
  for (const { log_position: position, until } of heldBefore) if (until > now && heldRows.has(position)) wait(heldRows.get(position) as EventRow)
  for (const { log_position: position, until } of expired) if (heldRows.has(position)) release(heldRows.get(position) as EventRow, until, position)
  for (const row of rows) {
    if (mayWait(row) && !resolved.has(row.follows as string) && !readyIds.has(row.follows as string)) wait(row)
    else release(row, row.received, row.position)
  }
  const newlyHeld = [...waiting.values()].flat().filter(({ position }) => !heldRows.has(position))
  return {
    ready,
    held: newlyHeld.map(({ id, position, occurred, follows, received }) => ({
      log_position: position,
      event_id: id,
      occurred,
      follows: follows as string,
      until: addSeconds(received, holdSecondsMax),
    })),
    // Includes events that retention has removed.
    released: heldBefore.flatMap(({ log_position: position, event_id }) => (readyIds.has(event_id) || !heldRows.has(position) ? [position] : [])),
  }
}

const keyOf = ({ occurred, log_position }: HeldEventRow): EventKey => ({ occurred, position: log_position })

/** Held events that wait, directly or through other held events, for one of the rows, and held events whose time is over. */
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

/** Predecessors that need no wait: they were evaluated before, or they never had an event. */
async function resolvedPredecessors(reads: Db, rows: readonly EventRow[], mayWait: (row: EventRow) => boolean): Promise<Set<string>> {
  const ids = [...new Set(rows.filter(mayWait).map(({ follows }) => follows as string))]
  const first = rows[0]?.position ?? 0
  if (ids.length === 0) return new Set()
  const found = await readPredecessors(reads, ids)
  const missing = ids.filter((id) => !found.has(id))
  const evaluated = [...found.values()].flatMap(({ id, position, early }) => (position < first && !early ? [id] : []))
  return new Set([...evaluated, ...(await neverEmitted(reads, missing))])
}

/**
 * A flow run state is written in the transaction of its event. A stored state without an event never had one: it belongs to a scheduled or adopted run.
 * The log is read again after the states, because both may have been committed since the first read.
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
  /** Whether it is held itself. */
  readonly early: boolean
}

async function readPredecessors(reads: Db, ids: readonly string[]): Promise<Map<string, Predecessor>> {
  const rows = await readEventsById(reads, ids)
  const positions = rows.map(({ position }) => position)
  const held = rows.length === 0 ? [] : await reads.all<{ log_position: number }>(heldPositions, [reads.dialect.list(positions)])
  const early = new Set(held.map(({ log_position }) => log_position))
  return new Map(rows.map(({ id, position }) => [id, { id, position, early: early.has(position) }]))
}

export const holdEvents = (tx: Tx, events: readonly HeldEventRow[]): Promise<number> => tx.insert('automation_early_event', [...events])

/** Deletes held events. Returns the positions that no other server has deleted first. */
export async function releaseEvents(tx: Tx, positions: readonly number[]): Promise<Set<number>> {
  if (positions.length === 0) return new Set()
  const rows = await tx.runReturning<{ log_position: number }>(removeHeld, [tx.dialect.list([...positions])])
  return new Set(rows.map(({ log_position }) => log_position))
}
