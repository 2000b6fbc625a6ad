import type { Kysely } from 'kysely'
import type { EventRecord } from '../lib/event-record.ts'
import type { ReceivedEvent, ServerEvent } from '../lib/server-events.ts'
import type { ReadOptions, SqlValue } from './connection.ts'
import type { Dialect, NewEvent, Write } from './dialect.ts'
import type { Database, Row, TableName } from './tables.ts'

/** Read access. Store functions take it as their first argument; a `Tx` is one too, so that one function serves both. */
export interface Db {
  readonly dialect: Dialect
  readonly kysely: Kysely<Database>
  /** The same for reads that the database plans for their values each time. */
  readonly replanning: Kysely<Database>
  /** Runs a fixed statement. `$1` is its first value on both databases. */
  all<R>(statement: Statement, values?: readonly SqlValue[]): Promise<R[]>
  first<R>(statement: Statement, values?: readonly SqlValue[]): Promise<R | undefined>
}

/** A transaction of the write queue. Events and notifications take effect with the commit, or not at all. */
export interface Tx extends Db {
  run(statement: Statement, values?: readonly SqlValue[]): Promise<number>
  /** Runs a statement that writes and returns rows. */
  runReturning<R>(statement: Statement, values?: readonly SqlValue[]): Promise<R[]>
  /** All rows must have the same columns. */
  insert<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[], options?: { onConflict?: string }): Promise<number>
  /** Sets the columns of each row, found by its `key` column (default: `id`). */
  update<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[], options?: { key?: string }): Promise<number>
  /** Writes whose results nobody needs, in this order. On PostgreSQL they are sent with the next statement or the commit. */
  write(writes: readonly Write[]): Promise<void>
  emit(event: ServerEvent | ReceivedEvent): void
  /** Writes events to the log. Called by the outbox at the end of the transaction. */
  appendEvents(events: readonly NewEvent[]): Promise<void>
  /** Notifies the listeners of a topic after the commit. The hint goes to other servers only and must not contain line breaks. */
  notify(topic: string, hint?: string): void
  /** Events emitted so far. */
  readonly events: readonly EventRecord[]
}

/** SQL text that may differ by dialect. It is built once per dialect. */
export interface Statement extends ReadOptions {
  readonly text: (dialect: Dialect) => string
}

/** `statement('select … where id = $1')`, or a function of the dialect where the texts differ. */
export function statement(text: string | ((dialect: Dialect) => string), options: ReadOptions = {}): Statement {
  if (typeof text === 'string') return { ...options, text: () => text }
  const texts = new Map<Dialect, string>()
  return {
    ...options,
    text(dialect) {
      const cached = texts.get(dialect) ?? text(dialect)
      texts.set(dialect, cached)
      return cached
    },
  }
}

export type BatchResults<R> = Promise<readonly (R | Error)[]>

/** Executes many inputs of one kind together. A result that is an `Error` rejects its own command only. */
export interface Batch<I, R> {
  (tx: Tx, inputs: readonly I[]): BatchResults<R>
  /** The rows that an input changes, by any name. While somebody holds one of them, commands that change it wait in a queue of their own. */
  readonly rowsOf?: (input: I) => readonly string[]
}

/** The result of an input whose row another transaction holds, in a transaction that leaves out such rows. */
export class HeldRow extends Error {}
