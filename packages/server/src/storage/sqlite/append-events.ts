import type { Connection, SqlValue } from '../connection.ts'
import type { NewEvent } from '../dialect.ts'

const append = `insert into event (id, occurred, received, event, resource_id, resource, related, payload, follows)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (id) do nothing`
const segmentsAfter = 'select id from event_segment where last > $1'
const isInSegment = `select 1 from event_segment_part where segment_id = $1 and part = 'ids' and instr(body, unhex($2, '-')) > 0`

/** The table counts the positions itself, and never uses one again. */
export async function appendEvents(connection: Connection, events: readonly NewEvent[]): Promise<void> {
  const fresh = await dropMovedEvents(connection, events)
  const rows = fresh.map(({ row }): SqlValue[] => [
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
  await connection.runEach(append, rows)
}

/** Drops events that are in segments which were stored since the check of the caller. Mostly there are none. */
async function dropMovedEvents(connection: Connection, events: readonly NewEvent[]): Promise<readonly NewEvent[]> {
  const checked = events.flatMap(({ checkedUntil }) => checkedUntil ?? [])
  if (checked.length === 0) return events
  const segments = await connection.all<{ id: number }>(segmentsAfter, [Math.min(...checked)])
  if (segments.length === 0) return events
  const fresh: NewEvent[] = []
  for (const event of events) {
    let isKnown = false
    if (event.checkedUntil !== null) for (const { id } of segments) isKnown ||= (await connection.all(isInSegment, [id, event.row.id])).length > 0
    if (!isKnown) fresh.push(event)
  }
  return fresh
}
