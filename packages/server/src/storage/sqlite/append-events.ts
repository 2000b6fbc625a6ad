import type { Connection, SqlValue } from '../connection.ts'
import type { NewEvent } from '../dialect.ts'

const last = "select coalesce((select seq from sqlite_sequence where name = 'event'), 0) as position"
const append = `insert into event (position, id, occurred, received, event, resource_id, resource, related, payload, follows)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (id) do nothing`
const after = 'select position from event where position > $1'
const link = 'insert into event_resource (resource_id, occurred, event_position, role) values ($1, $2, $3, $4)'
const tally = `insert into event_tally (quarter, event, count, oldest, newest) values ($1, $2, $3, $4, $5)
    on conflict (quarter, event) do update set count = count + excluded.count, oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest)`

interface Tally {
  readonly quarter: number
  readonly event: string
  count: number
  oldest: number
  newest: number
}

/** There is one writer: the next position is ours. Tallies are written once for all that belong to one. */
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
  // Which were known is asked only when some were: clients seldom send an event twice.
  const isFresh = appended < rows.length ? await positionsAfter(connection, before) : undefined
  const links: SqlValue[][] = []
  const tallies = new Map<string, Tally>()
  for (const [index, { row, resources, quarter }] of events.entries()) {
    const position = before + index + 1
    if (isFresh && !isFresh.has(position)) continue
    for (const { id, role } of resources) links.push([id, row.occurred, position, role])
    addToTally(tallies, quarter, row.event, row.occurred)
  }
  await connection.runEach(link, links)
  await connection.runEach(
    tally,
    [...tallies.values()].map(({ quarter, event, count, oldest, newest }) => [quarter, event, count, oldest, newest]),
  )
}

async function positionsAfter(connection: Connection, before: number): Promise<Set<number>> {
  return new Set((await connection.all<{ position: number }>(after, [before])).map(({ position }) => position))
}

function addToTally(tallies: Map<string, Tally>, quarter: number, event: string, occurred: number): void {
  const key = `${quarter} ${event}`
  const known = tallies.get(key)
  if (!known) {
    tallies.set(key, { quarter, event, count: 1, oldest: occurred, newest: occurred })
    return
  }
  known.count += 1
  known.oldest = Math.min(known.oldest, occurred)
  known.newest = Math.max(known.newest, occurred)
}
