import type { Connection, Value } from '../connection.ts'
import type { NewEvent } from '../event-log.ts'

const last = "select coalesce((select seq from sqlite_sequence where name = 'event'), 0) as position"
const known = 'select id from event where id in (select value from json_each($1))'
const append = `insert into event (position, id, occurred, received, event, resource_id, resource, related, payload, follows)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
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

/** There is one writer: what is known now stays so, and the next position is ours. Tallies are written once for all that belong to one. */
export async function appendEvents(connection: Connection, events: readonly NewEvent[]): Promise<void> {
  const there = await knownIds(connection, events)
  let position = (await connection.all<{ position: number }>(last, []))[0]?.position ?? 0
  const rows: Value[][] = []
  const links: Value[][] = []
  const tallies = new Map<string, Tally>()
  for (const { row, resources, quarter } of events) {
    if (there.has(row.id)) continue
    position += 1
    rows.push([position, row.id, row.occurred, row.received, row.event, row.resource_id, row.resource, row.related, row.payload, row.follows])
    for (const { id, role } of resources) links.push([id, row.occurred, position, role])
    count(tallies, quarter, row.event, row.occurred)
  }
  await connection.runEach(append, rows)
  await connection.runEach(link, links)
  await connection.runEach(
    tally,
    [...tallies.values()].map(({ quarter, event, count, oldest, newest }) => [quarter, event, count, oldest, newest]),
  )
}

async function knownIds(connection: Connection, events: readonly NewEvent[]): Promise<Set<string>> {
  const sent = events.flatMap(({ sent, row }) => (sent ? [row.id] : []))
  if (sent.length === 0) return new Set()
  return new Set((await connection.all<{ id: string }>(known, [JSON.stringify(sent)])).map(({ id }) => id))
}

function count(tallies: Map<string, Tally>, quarter: number, event: string, occurred: number): void {
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
