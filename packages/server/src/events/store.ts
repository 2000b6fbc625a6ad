import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import { rawJson } from '../lib/json.ts'
import { formatTime } from '../lib/time.ts'
import { type Db, statement } from '../storage/database.ts'
import { lazyColumns } from '../storage/lazy-columns.ts'
import type { Row } from '../storage/tables.ts'

export type EventRow = Row<'event'> & { readonly position: number }

export const eventAnswer = (row: EventRow): ReceivedEvent => ({
  occurred: formatTime(row.occurred),
  event: row.event,
  resource: rawJson(row.resource),
  related: rawJson(row.related),
  payload: rawJson(row.payload),
  id: row.id,
  follows: row.follows,
  received: formatTime(row.received),
})

/** Where an event stands in the order of a list. */
export interface EventKey {
  readonly occurred: number
  readonly position: number
}

/** A page that is wanted. */
export interface PageRequest {
  readonly limit: number
  /** The last event of the page before. */
  readonly after?: EventKey
  /** Known from the page before: then nothing is counted again. */
  readonly total?: number
}

export interface PageResult {
  readonly keys: readonly EventKey[]
  readonly total: number
}

/** Whether one comes before another in the order of a list. */
export function comesBefore({ order }: { readonly order: 'ASC' | 'DESC' }, a: EventKey, b: EventKey): boolean {
  const earlier = a.occurred - b.occurred || a.position - b.position
  return order === 'DESC' ? earlier > 0 : earlier < 0
}

const byKeys = statement((dialect) => `select * from event where ${dialect.inList('position', '$1', 'int')} and occurred >= $2 and occurred <= $3`)

const late = lazyColumns('event', ['payload', 'related', 'resource'])
const byKeysWithoutLargeColumns = statement(
  (dialect) =>
    `select ${late.text(dialect)}, position from event where ${dialect.inList('position', '$1', 'int')} and occurred >= $2 and occurred <= $3`,
)

/** The events of a page, in its order, for an answer: what is large is fetched as it is written. */
export const readEventPage = async (db: Db, keys: readonly EventKey[]): Promise<EventRow[]> =>
  late.fetch(db, await readEventsByKey(db, keys, byKeysWithoutLargeColumns))

/** The events of a page, in its order. */
export async function readEventsByKey(db: Db, keys: readonly EventKey[], query = byKeys): Promise<EventRow[]> {
  if (keys.length === 0) return []
  const times = keys.map(({ occurred }) => occurred)
  const rows = await db.all<EventRow>(query, [db.dialect.list(keys.map(({ position }) => position)), Math.min(...times), Math.max(...times)])
  const known = new Map(rows.map((row) => [row.position, row]))
  // One may have been trimmed since.
  return keys.flatMap(({ position }) => known.get(position) ?? [])
}
