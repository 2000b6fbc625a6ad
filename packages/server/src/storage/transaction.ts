import type { Kysely } from 'kysely'
import { type Actor, addActor } from '../lib/actor.ts'
import type { EventRecord } from '../lib/event-record.ts'
import type { ReceivedEvent, ServerEvent } from '../lib/server-events.ts'
import type { Connection, SqlValue, WriteConnection } from './connection.ts'
import type { Db, Statement, Tx } from './database.ts'
import type { Dialect, NewEvent, Write } from './dialect.ts'
import { createKysely } from './kysely.ts'
import type { Database, Row, TableName } from './tables.ts'

/** Reads over a connection. Kysely is created on first use, because hot paths never need it. */
export class ReadDb implements Db {
  readonly dialect: Dialect
  protected readonly connection: Connection
  #kysely: Kysely<Database> | undefined
  #replanning: Kysely<Database> | undefined

  constructor(connection: Connection, dialect: Dialect) {
    this.connection = connection
    this.dialect = dialect
  }

  get kysely(): Kysely<Database> {
    this.#kysely ??= createKysely(this.connection, this.dialect)
    return this.#kysely
  }

  get replanning(): Kysely<Database> {
    this.#replanning ??= createKysely(this.connection, this.dialect, { replans: true })
    return this.#replanning
  }

  all<R>(statement: Statement, values: readonly SqlValue[] = []): Promise<R[]> {
    return this.connection.all<R>(statement.text(this.dialect), values, statement)
  }

  async first<R>(statement: Statement, values: readonly SqlValue[] = []): Promise<R | undefined> {
    return (await this.all<R>(statement, values))[0]
  }
}

/** A moment in a transaction. */
export interface TransactionMark {
  readonly writes: number
  readonly events: number
}

/** A transaction of the write queue, with its pending events and notifications. */
export class Transaction extends ReadDb implements Tx {
  readonly events: EventRecord[] = []
  readonly topics = new Set<string>()
  /** Notifications for other servers: topics, some with a hint. */
  readonly notifications = new Set<string>()
  readonly #writer: WriteConnection
  readonly #counter: { writes: number }

  constructor(writer: WriteConnection, dialect: Dialect) {
    const counter = { writes: 0 }
    super(countWrites(writer, counter), dialect)
    this.#writer = writer
    this.#counter = counter
  }

  run(statement: Statement, values: readonly SqlValue[] = []): Promise<number> {
    return this.connection.run(statement.text(this.dialect), values)
  }

  runReturning<R>(statement: Statement, values: readonly SqlValue[] = []): Promise<R[]> {
    this.#counter.writes += 1
    return this.connection.all<R>(statement.text(this.dialect), values)
  }

  async insert<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[], options: { onConflict?: string } = {}): Promise<number> {
    return rows.length === 0 ? 0 : this.dialect.insertRows(this.connection, { insert: table, rows, ...options })
  }

  async update<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[], options: { key?: string } = {}): Promise<number> {
    return rows.length === 0 ? 0 : this.dialect.updateRows(this.connection, { update: table, rows, ...options })
  }

  async write(writes: readonly Write[]): Promise<void> {
    if (writes.length === 0) return
    this.#counter.writes += 1
    await this.dialect.write(this.#writer, writes)
  }

  emit(event: ServerEvent | ReceivedEvent): void {
    this.events.push(event)
  }

  appendEvents(events: readonly NewEvent[]): Promise<void> {
    this.#counter.writes += 1
    return this.dialect.appendEvents(this.#writer, events)
  }

  notify(topic: string, hint = ''): void {
    this.topics.add(topic)
    this.notifications.add(hint === '' ? topic : `${topic} ${hint}`)
  }

  mark(): TransactionMark {
    return { writes: this.#counter.writes, events: this.events.length }
  }

  /** The events since the mark are those of one command. */
  addActorSince({ events }: TransactionMark, actor: Actor): void {
    addActor(this.events, events, actor)
  }

  hasWrittenSince({ writes, events }: TransactionMark): boolean {
    return this.#counter.writes > writes || this.events.length > events
  }
}

const countWrites = (inner: Connection, counter: { writes: number }): Connection => ({
  all: (text, values, options) => inner.all(text, values, options),
  run(text, values) {
    counter.writes += 1
    return inner.run(text, values)
  },
  runEach(text, rows) {
    counter.writes += 1
    return inner.runEach(text, rows)
  },
  script(text) {
    counter.writes += 1
    return inner.script(text)
  },
})
