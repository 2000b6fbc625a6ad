import type { Connection, SqlValue } from '../connection.ts'
import type { NewEvent } from '../dialect.ts'

const last = "select coalesce((select seq from sqlite_sequence where name = 'event'), 0) as position"
const append = `insert into event (position, id, occurred, received, event, resource_id, resource, related, payload, follows)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (id) do nothing`
const after = 'select position from event where position > $1'
const link = 'insert into event_resource (resource_id, occurred, event_position, role) values ($1, $2, $3, $4)'
const addToRollup = `insert into event_tally (quarter, event, count, oldest, newest) values ($1, $2, $3, $4, $5)
    on conflict (quarter, event) do update set count = count + excluded.count, oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest)`

interface Rollup {
  readonly quarter: number
  readonly event: string
  count: number
  oldest: number
  newest: number
}

/** SQLite has a single writer, so the next position is free. Each rollup row is written once per call. */
export async function appendEvents(connection: Connection, events: readonly NewEvent[]): Promise<void> {
  const before = (await connection.all<{ position: number }>(last, []))[0]?.position ?? 0
  const rows = events.map(({ row }, index): SqlValue[] => [
    before + index + 1,
    row.id,
    row.occurred,
    row.received,
    row.event,
    row.resource_id,
    row.resource,
    row.related,
    row.payload,
    row.follows,
  ])
  const appended = await connection.runEach(append, rows)
  // The inserted positions are only read when some events were duplicates, which is rare.
  const inserted = appended < rows.length ? await positionsAfter(connection, before) : undefined
  const links: SqlValue[][] = []
  const rollups = new Map<string, Rollup>()
  for (const [index, { row, resources, quarter }] of events.entries()) {
    const position = before + index + 1
    if (inserted && !inserted.has(position)) continue
    for (const { id, role } of resources) links.push([id, row.occurred, position, role])
    countEvent(rollups, quarter, row.event, row.occurred)
  }
  await connection.runEach(link, links)
  await connection.runEach(
    addToRollup,
    [...rollups.values()].map(({ quarter, event, count, oldest, newest }) => [quarter, event, count, oldest, newest]),
  )
}

async function positionsAfter(connection: Connection, before: number): Promise<Set<number>> {
  return new Set((await connection.all<{ position: number }>(after, [before])).map(({ position }) => position))
}

function countEvent(rollups: Map<string, Rollup>, quarter: number, event: string, occurred: number): void {
  const key = `${quarter} ${event}`
  const rollup = rollups.get(key)
  if (!rollup) {
    rollups.set(key, { quarter, event, count: 1, oldest: occurred, newest: occurred })
    return
  }
  rollup.count += 1
  rollup.oldest = Math.min(rollup.oldest, occurred)
  rollup.newest = Math.max(rollup.newest, occurred)
}
