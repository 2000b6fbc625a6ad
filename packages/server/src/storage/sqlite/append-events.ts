import type { Connection } from '../connection.ts'
import type { NewEvent } from '../event-log.ts'

const append = `insert into event (id, occurred, received, event, resource_id, resource, related, payload, follows)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (id) do nothing returning position`
const link = 'insert into event_resource (resource_id, occurred, event_position, role) values ($1, $2, $3, $4)'
const tally = `insert into event_tally (quarter, event, count, oldest, newest) values ($1, $2, $3, $4, $5)
    on conflict (quarter, event) do update set count = count + excluded.count, oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest)`
const tallyResource = `insert into event_resource_tally (day, resource_id, name, count, oldest, newest) values ($1, $2, $3, $4, $5, $6)
    on conflict (day, resource_id) do update set count = count + excluded.count, name = iif(excluded.newest >= newest, excluded.name, name),
      oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest)`

interface Tally {
  readonly span: number
  readonly value: string
  name: string | null
  count: number
  oldest: number
  newest: number
}

/** One row after the other; tallies once for all that belong to one. */
export async function appendEvents(connection: Connection, events: readonly NewEvent[]): Promise<void> {
  const names = new Map<string, Tally>()
  const resources = new Map<string, Tally>()
  for (const { row, resources: named, name, quarter, day } of events) {
    const [kept] = await connection.all<{ position: number }>(append, [
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
    if (!kept) continue
    for (const { id, role } of named) await connection.run(link, [id, row.occurred, kept.position, role])
    count(names, quarter, row.event, null, row.occurred)
    count(resources, day, row.resource_id, name, row.occurred)
  }
  for (const { span, value, count, oldest, newest } of names.values()) await connection.run(tally, [span, value, count, oldest, newest])
  for (const { span, value, name, count, oldest, newest } of resources.values())
    await connection.run(tallyResource, [span, value, name, count, oldest, newest])
}

function count(tallies: Map<string, Tally>, span: number, value: string, name: string | null, occurred: number): void {
  const key = `${span} ${value}`
  const known = tallies.get(key)
  if (!known) {
    tallies.set(key, { span, value, name, count: 1, oldest: occurred, newest: occurred })
    return
  }
  if (occurred >= known.newest) known.name = name
  known.count += 1
  known.oldest = Math.min(known.oldest, occurred)
  known.newest = Math.max(known.newest, occurred)
}
