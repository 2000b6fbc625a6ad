import { monotonicSeconds } from '../lib/time.ts'
import type { TableName } from './tables.ts'

/** The rows of one query about rows of a table. `Row` is what the query returns. */
export interface RowKind<Row> {
  readonly table: TableName
  readonly name: string
  /** Never set: it only carries the type. */
  readonly row?: Row
}

export const rowKind = <Row extends object>(table: TableName, name: string = table): RowKind<Row> => ({ table, name })

/** More is forgotten, the oldest first. */
const bytesMax = 4 * 1024 * 1024
const rowBytesMax = 16 * 1024

/** Rows are used for this long, so that a server that froze or lost its connection forgets what others may have changed meanwhile. */
const lifetimeSeconds = 10

interface Remembered {
  readonly row: object
  readonly bytes: number
  readonly at: number
}

/**
 * Rows as this server has last read or written them, while it is the only one that writes. A run is seldom far from its last transition, so most transitions need
 * no read: their transaction is one message. Everything is forgotten when a transaction has written what is not known row by row, and when another server appears.
 * Updates of remembered rows check that they are the same still (ADR 0047).
 */
export class RememberedRows {
  /** Oldest first. */
  readonly #rows = new Map<string, Remembered>()
  #bytes = 0
  /** How often everything was forgotten. */
  #forgotten = 0

  get forgotten(): number {
    return this.#forgotten
  }

  find<Row>(kind: RowKind<Row>, id: string): Row | undefined {
    const remembered = this.#rows.get(keyOf(kind.name, id))
    return remembered && monotonicSeconds() - remembered.at < lifetimeSeconds ? (remembered.row as Row) : undefined
  }

  remember<Row extends object>(kind: RowKind<Row>, id: string, row: Row): void {
    const key = keyOf(kind.name, id)
    this.#remove(key)
    const bytes = sizeOf(row)
    if (bytes > rowBytesMax) return
    this.#rows.set(key, { row, bytes, at: monotonicSeconds() })
    this.#bytes += bytes
    for (const oldest of this.#rows.keys()) {
      if (this.#bytes <= bytesMax) break
      this.#remove(oldest)
    }
  }

  forget(kind: RowKind<unknown>, id: string): void {
    this.#remove(keyOf(kind.name, id))
  }

  forgetAll(): void {
    this.#forgotten += 1
    this.#rows.clear()
    this.#bytes = 0
  }

  #remove(key: string): void {
    const known = this.#rows.get(key)
    if (!known) return
    this.#bytes -= known.bytes
    this.#rows.delete(key)
  }
}

const keyOf = (name: string, id: string): string => `${name} ${id}`

/** Roughly: objects, numbers, null, and two bytes for each character. */
function sizeOf(row: object): number {
  let bytes = 200
  for (const value of Object.values(row)) {
    if (typeof value === 'string') bytes += sizeOfText(value)
    else if (value instanceof Set) for (const text of value) bytes += sizeOfText(text)
    else bytes += 8
  }
  return bytes
}

const sizeOfText = (text: string): number => 16 + 2 * text.length

/** What a transaction knows without reading, and what the server may remember after its commit. */
export interface TransactionMemory {
  /** Undefined if the row has to be read. */
  find<Row>(kind: RowKind<Row>, id: string): Row | undefined
  /** The same for a row that the transaction changes: others have to read it until the commit. */
  take<Row>(kind: RowKind<Row>, id: string): Row | undefined
  /** Remembers a row as it is after the commit. */
  keep<Row extends object>(kind: RowKind<Row>, id: string, row: () => Row): void
}

/** For a transaction that has to read everything. */
export const noMemory: TransactionMemory = { find: () => undefined, take: () => undefined, keep: () => {} }

/** Applies to one transaction. */
export class OpenMemory implements TransactionMemory {
  readonly #rows: RememberedRows
  readonly #forgotten: number
  readonly #hasWrittenUnknown: () => boolean
  readonly #kept: (() => void)[] = []

  /** `hasWrittenUnknown`: whether the transaction has written rows that are not known one by one. */
  constructor(rows: RememberedRows, hasWrittenUnknown: () => boolean) {
    this.#rows = rows
    this.#forgotten = rows.forgotten
    this.#hasWrittenUnknown = hasWrittenUnknown
  }

  find<Row>(kind: RowKind<Row>, id: string): Row | undefined {
    return this.#hasWrittenUnknown() ? undefined : this.#rows.find(kind, id)
  }

  take<Row>(kind: RowKind<Row>, id: string): Row | undefined {
    const row = this.find(kind, id)
    if (row !== undefined) this.#rows.forget(kind, id)
    return row
  }

  keep<Row extends object>(kind: RowKind<Row>, id: string, row: () => Row): void {
    this.#kept.push(() => this.#rows.remember(kind, id, row()))
  }

  /** Called after the commit. */
  commit(): void {
    // Others may have changed meanwhile what these rows were read with.
    if (this.#rows.forgotten !== this.#forgotten) return
    for (const remember of this.#kept) remember()
  }
}
