import { type EventRow, eventAnswer } from '../events/store.ts'
import { writeJson } from '../lib/json.ts'
import type { Micros } from '../lib/time.ts'
import { type Db, statement } from '../storage/database.ts'

/** An event of the log, as buckets and firings keep it: a copy of it took several kilobytes for each firing. */
export interface EventReference {
  readonly id: string
  readonly occurred: Micros
}

/** The range of time finds the partition on PostgreSQL. */
const byReferences = statement((dialect) => `select * from event where ${dialect.inList('id', '$1', 'uuid')} and occurred >= $2 and occurred <= $3`)

export const referenceTo = ({ id, occurred }: EventReference): string => JSON.stringify({ id, occurred })

/** Older servers kept the event itself. */
export const isWholeEvent = (kept: object): boolean => 'resource' in kept

/** Whole events by reference, as the API shows them: JSON texts by id. Those that retention has removed are missing. */
export async function readReferences(db: Db, references: readonly EventReference[]): Promise<Map<string, string>> {
  if (references.length === 0) return new Map()
  const times = references.map(({ occurred }) => occurred)
  const ids = [...new Set(references.map(({ id }) => id))]
  const rows = await db.all<EventRow>(byReferences, [db.dialect.list(ids), Math.min(...times), Math.max(...times)])
  return new Map(rows.map((row) => [row.id, toEventText(row)]))
}

const toEventText = (row: EventRow): string => writeJson(eventAnswer(row))

/** The events of a step by reference; those that the step does not show are read from the log. */
export class StepEvents {
  readonly #db: Db
  readonly #rows: ReadonlyMap<string, EventRow>

  constructor(db: Db, rows: Iterable<EventRow>) {
    this.#db = db
    this.#rows = new Map(Array.from(rows, (row) => [row.id, row]))
  }

  /** The whole event as JSON text; null when retention has removed it. */
  async readText(kept: string): Promise<string | null> {
    const reference = JSON.parse(kept) as EventReference
    if (isWholeEvent(reference)) return kept
    const row = this.#rows.get(reference.id)
    return row ? toEventText(row) : ((await readReferences(this.#db, [reference])).get(reference.id) ?? null)
  }
}
