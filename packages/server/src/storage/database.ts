import type { Kysely } from 'kysely'
import type { EventRecord } from '../lib/event-record.ts'
import type { SqlValue } from './connection.ts'
import type { Dialect, NewEvent } from './dialect.ts'
import type { Database, Row, TableName } from './tables.ts'

/** Reads. Stores take this first; a command's `Tx` is one too, so that a store serves both. */
export interface Db {
  readonly dialect: Dialect
  readonly kysely: Kysely<Database>
  /** A fixed statement, compiled once: `$1` is its first value on both databases. */
  all<R>(statement: Statement, values?: readonly SqlValue[]): Promise<R[]>
  first<R>(statement: Statement, values?: readonly SqlValue[]): Promise<R | undefined>
}

/** A transaction of the lane. What is announced or asked to be woken here happens with the commit, or not at all. */
export interface Tx extends Db {
  run(statement: Statement, values?: readonly SqlValue[]): Promise<number>
  /** Rows must all have the same columns. */
  insert<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[], options?: { onConflict?: string }): Promise<number>
  /** Sets the columns of each row by its `key` (id unless told). */
  update<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[], options?: { key?: string }): Promise<number>
  emit(event: EventRecord): void
  /** Writes what was announced; the outbox does, at the end. */
  appendEvents(events: readonly NewEvent[]): Promise<void>
  /** Wakes whoever waits on a topic, after the commit. The note, without line breaks, is for other servers alone: it tells them where to look. */
  notify(topic: string, note?: string): void
}

/** SQL that may differ by dialect; its text is made once for each. */
export interface Statement {
  readonly text: (dialect: Dialect) => string
}

/** `statement('select … where id = $1')`, or a function of the dialect where the two differ. */
export function statement(text: string | ((dialect: Dialect) => string)): Statement {
  if (typeof text === 'string') return { text: () => text }
  const made = new Map<Dialect, string>()
  return {
    text(dialect) {
      const known = made.get(dialect) ?? text(dialect)
      made.set(dialect, known)
      return known
    },
  }
}
