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

/** The sort key of an event in lists. */
export interface EventKey {
  readonly occurred: number
  readonly position: number
}

export interface PageRequest {
  readonly limit: number
  /** The last event of the previous page. */
  readonly after?: EventKey
  /** The total of the previous page, which skips the count. */
  readonly total?: number
}

export interface PageResult {
  readonly keys: readonly EventKey[]
  readonly total: number
}

/** Whether `a` comes before `b` in the order of the list. */
export function comesBefore({ order }: { readonly order: 'ASC' | 'DESC' }, a: EventKey, b: EventKey): boolean {
  const earlier = a.occurred - b.occurred || a.position - b.position
  return order === 'DESC' ? earlier > 0 : earlier < 0
}

const byKeys = statement((dialect) => `select * from event where ${dialect.inList('position', '$1', 'int')} and occurred >= $2 and occurred <= $3`)

const largeColumns = lazyColumns('event', ['payload', 'related', 'resource'])
const byKeysWithoutLargeColumns = statement(
  (dialect) =>
    `select ${largeColumns.text(dialect)}, position from event where ${dialect.inList('position', '$1', 'int')} and occurred >= $2 and occurred <= $3`,
)

/** The events of a page in order, for a response. Large columns are fetched while the response is written. */
export const readEventPage = async (db: Db, keys: readonly EventKey[]): Promise<EventRow[]> =>
  largeColumns.fetch(db, await readEventsByKey(db, keys, byKeysWithoutLargeColumns))

/** The events of a page in order. */
export async function readEventsByKey(db: Db, keys: readonly EventKey[], query = byKeys): Promise<EventRow[]> {
  if (keys.length === 0) return []
  const times = keys.map(({ occurred }) => occurred)
  const rows = await db.all<EventRow>(query, [db.dialect.list(keys.map(({ position }) => position)), Math.min(...times), Math.max(...times)])
  const byPosition = new Map(rows.map((row) => [row.position, row]))
  // Retention may have removed some of them.
  return keys.flatMap(({ position }) => byPosition.get(position) ?? [])
}
