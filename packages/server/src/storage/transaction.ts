import type { Kysely } from 'kysely'
import type { EventRecord } from '../lib/event-record.ts'
import type { ReceivedEvent, ServerEvent } from '../lib/server-events.ts'
import type { Connection, SqlValue, WriteConnection } from './connection.ts'
import type { Db, Statement, TransactionMark, Tx } from './database.ts'
import type { Dialect, NewEvent, StoredRows } from './dialect.ts'
import { createKysely } from './kysely.ts'
import type { Database, Row, TableName } from './tables.ts'

/** Reads over a connection. Kysely is created on first use, because hot paths never need it. */
export class ReadDb implements Db {
  readonly dialect: Dialect
  protected readonly connection: Connection
  #kysely: Kysely<Database> | undefined

  constructor(connection: Connection, dialect: Dialect) {
    this.connection = connection
    this.dialect = dialect
  }

  get kysely(): Kysely<Database> {
    this.#kysely ??= createKysely(this.connection, this.dialect)
    return this.#kysely
  }

  all<R>(statement: Statement, values: readonly SqlValue[] = []): Promise<R[]> {
    return this.connection.all<R>(statement.text(this.dialect), values)
  }

  async first<R>(statement: Statement, values: readonly SqlValue[] = []): Promise<R | undefined> {
    return (await this.all<R>(statement, values))[0]
  }
}

/** A transaction of the write queue, with its pending events and notifications. */
export class Transaction extends ReadDb implements Tx {
  readonly events: EventRecord[] = []
  readonly topics = new Set<string>()
  /** Notifications for other servers: topics, some with a hint. */
  readonly notifications = new Set<string>()
  readonly #writes: WriteCounter
  readonly #writer: WriteConnection
  /** For statements whose rows are known. */
  readonly #rowConnection: Connection
  readonly #laterConnection: Connection
  readonly #deferred: Promise<unknown>[] = []
  /** The number of the last update of each row. */
  readonly #updates = new Map<TableName, Map<unknown, number>>()

  constructor(connection: WriteConnection, dialect: Dialect) {
    const writes = { count: 0, lastUnknown: 0 }
    const rowConnection = countWrites(connection, () => {
      writes.count += 1
    })
    super(
      countWrites(connection, () => {
        writes.count += 1
        writes.lastUnknown = writes.count
      }),
      dialect,
    )
    this.#writes = writes
    this.#writer = connection
    this.#rowConnection = rowConnection
    this.#laterConnection = {
      ...rowConnection,
      run: async (text, values) => {
        writes.count += 1
        await connection.runLater(text, values)
        return 0
      },
    }
  }

  run(statement: Statement, values: readonly SqlValue[] = []): Promise<number> {
    return this.connection.run(statement.text(this.dialect), values)
  }

  async insert<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[], options: { onConflict?: string } = {}): Promise<number> {
    const { onConflict = '' } = options
    // A conflict may change stored rows.
    const connection = onConflict === '' ? this.#rowConnection : this.connection
    return rows.length === 0 ? 0 : this.dialect.insertMany(connection, table, rows, onConflict)
  }

  async update<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[], options: { key?: string } = {}): Promise<number> {
    return rows.length === 0 ? 0 : this.dialect.updateMany(this.connection, table, rows, options.key ?? 'id')
  }

  insertLater<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[]): void {
    if (rows.length > 0) this.#defer(this.dialect.insertMany(this.#laterConnection, table, rows, ''))
  }

  updateLater<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[], options: { stored?: StoredRows } = {}): void {
    if (rows.length === 0) return
    this.#defer(this.dialect.updateMany(this.#laterConnection, table, rows, 'id', options.stored))
    const updates = this.#updates.get(table) ?? new Map()
    this.#updates.set(table, updates)
    // Not left to the statement, which may be sent in a later turn.
    this.#writes.count += 1
    for (const row of rows) updates.set((row as { id?: unknown }).id, this.#writes.count)
  }

  /** Waits for the deferred writes of a database that runs them at once. */
  async awaitDeferred(): Promise<void> {
    await Promise.all(this.#deferred.splice(0))
  }

  #defer(write: Promise<unknown>): void {
    // `awaitDeferred` reports the error.
    write.catch(() => undefined)
    this.#deferred.push(write)
  }

  emit(event: ServerEvent | ReceivedEvent): void {
    this.events.push(event)
  }

  appendEvents(events: readonly NewEvent[]): Promise<void> {
    this.#writes.count += 1
    return this.dialect.appendEvents(this.#writer, events)
  }

  notify(topic: string, hint = ''): void {
    this.topics.add(topic)
    this.notifications.add(hint === '' ? topic : `${topic} ${hint}`)
  }

  mark(): TransactionMark {
    return { writes: this.#writes.count, events: this.events.length }
  }

  emittedSince(mark: TransactionMark): readonly EventRecord[] {
    return this.events.slice(mark.events)
  }

  /** Discards the events since the mark, and writes whose outcome is unknown yet. Topics stay, because a spurious notification is harmless. */
  discardSince(mark: TransactionMark): void {
    this.events.length = mark.events
    this.#deferred.length = 0
  }

  mayHaveChanged(table: TableName, id: string, since: TransactionMark): boolean {
    return this.#writes.lastUnknown > since.writes || (this.#updates.get(table)?.get(id) ?? 0) > since.writes
  }

  hasWrittenSince(mark: TransactionMark): boolean {
    return this.#writes.count > mark.writes || this.events.length > mark.events
  }
}

interface WriteCounter {
  count: number
  /** The number of the last write whose rows are unknown. */
  lastUnknown: number
}

function countWrites(inner: Connection, onWrite: () => void): Connection {
  return {
    all: (text, values) => {
      if (!/^\s*(select|with)\b/i.test(text)) onWrite()
      return inner.all(text, values)
    },
    run: (text, values) => {
      onWrite()
      return inner.run(text, values)
    },
    runEach: (text, rows) => {
      onWrite()
      return inner.runEach(text, rows)
    },
    script: (text) => {
      onWrite()
      return inner.script(text)
    },
  }
}
