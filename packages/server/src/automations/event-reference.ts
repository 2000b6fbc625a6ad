import { readEventsByReference } from '../events/log-reader.ts'
import { type EventRow, eventAnswer } from '../events/store.ts'
import { writeJson } from '../lib/json.ts'
import type { Micros } from '../lib/time.ts'
import type { Db } from '../storage/database.ts'

/** A reference to an event of the log. Buckets and firings store it instead of a copy, which took several kilobytes for each firing. */
export interface EventReference {
  readonly id: string
  readonly occurred: Micros
}

export const referenceTo = ({ id, occurred }: EventReference): string => JSON.stringify({ id, occurred })

/** Older servers stored the event itself. */
export const isWholeEvent = (stored: object): boolean => 'resource' in stored

/** Reads events by reference. Returns their API form as JSON, by id. Events that retention has removed are missing. */
export async function readReferences(db: Db, references: readonly EventReference[]): Promise<Map<string, string>> {
  if (references.length === 0) return new Map()
  return new Map((await readEventsByReference(db, references)).map((row) => [row.id, toEventText(row)]))
}

const toEventText = (row: EventRow): string => writeJson(eventAnswer(row))

/** Resolves references to events. The events of the step are in memory; others are read from the log. */
export class StepEvents {
  readonly #db: Db
  readonly #rows: ReadonlyMap<string, EventRow>

  constructor(db: Db, rows: Iterable<EventRow>) {
    this.#db = db
    this.#rows = new Map(Array.from(rows, (row) => [row.id, row]))
  }

  /** The event as JSON; null when retention has removed it. */
  async readText(text: string): Promise<string | null> {
    const reference = JSON.parse(text) as EventReference
    if (isWholeEvent(reference)) return text
    const row = this.#rows.get(reference.id)
    return row ? toEventText(row) : ((await readReferences(this.#db, [reference])).get(reference.id) ?? null)
  }
}
