import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import { type LazyJson, rawJson } from '../lib/json.ts'
import { formatTime } from '../lib/time.ts'
import type { Row } from '../storage/tables.ts'

export type EventRow = Row<'event'> & { readonly position: number }

/** A row of a page. Large JSON is read when the response is written. */
export type EventPageRow = Omit<EventRow, 'resource' | 'related' | 'payload'> & Record<'resource' | 'related' | 'payload', string | LazyJson>

export const eventAnswer = (row: EventPageRow): ReceivedEvent => ({
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
