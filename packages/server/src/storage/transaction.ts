import type { Kysely } from 'kysely'
import type { EventRecord } from '../lib/event-record.ts'
import type { ReceivedEvent, ServerEvent } from '../lib/server-events.ts'
import type { Connection, SqlValue, WriteConnection } from './connection.ts'
import type { Db, LaterUpdate, Statement, TransactionMark, Tx } from './database.ts'
import type { Dialect, NewEvent, RunChangeCollector } from './dialect.ts'
import { createKysely } from './kysely.ts'
import { noMemory, OpenMemory, type RememberedRows, rowKind, type TransactionMemory } from './remembered-rows.ts'
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

interface MemoryOptions {
  readonly remembered?: RememberedRows | undefined
  /** Whether remembered rows need not be read. */
  readonly usesMemory?: boolean
}

/** A transaction of the write queue, with its pending events and notifications. */
export class Transaction extends ReadDb implements Tx {
  readonly events: EventRecord[] = []
  readonly topics = new Set<string>()
  /** Notifications for other servers: topics, some with a hint. */
  readonly notifications = new Set<string>()
  readonly memory: TransactionMemory
  readonly #remembered: RememberedRows | undefined
  readonly #writes: WriteCounter
  readonly #writer: WriteConnection
  /** For statements whose rows are known. */
  readonly #rowConnection: Connection
  readonly #laterConnection: Connection
  readonly #deferred: Promise<unknown>[] = []
  readonly #history: HistoryRows
  readonly #runChanges: RunChangeCollector | undefined
  readonly #sendCollected: () => void
  /** The number of the last update of each row. */
  readonly #updates = new Map<TableName, Map<unknown, number>>()

  constructor(connection: WriteConnection, dialect: Dialect, { remembered, usesMemory = false }: MemoryOptions = {}) {
    const writes = { count: 0, lastUnknown: 0 }
    const history = new HistoryRows()
    const runChanges = dialect.collectRunChanges?.()
    // Other statements may read the rows.
    const beforeEach = () => {
      history.take((table, rows) => this.#defer(dialect.insertMany(laterConnection, table, rows)))
      runChanges?.take((text, values) => this.#defer(laterConnection.run(text, values)))
    }
    const rowConnection = observe(connection, {
      beforeEach,
      onWrite: () => {
        writes.count += 1
      },
    })
    const laterConnection: Connection = {
      ...rowConnection,
      run: async (text, values) => {
        await connection.runLater(text, values)
        return 0
      },
    }
    const unknownConnection = observe(connection, {
      beforeEach,
      onWrite: () => {
        writes.count += 1
        writes.lastUnknown = writes.count
      },
    })
    super(unknownConnection, dialect)
    this.memory = remembered && usesMemory ? new OpenMemory(remembered, () => writes.lastUnknown > 0) : noMemory
    this.#remembered = remembered
    this.#writes = writes
    this.#writer = connection
    this.#rowConnection = rowConnection
    this.#laterConnection = laterConnection
    this.#history = history
    this.#runChanges = runChanges
    this.#sendCollected = beforeEach
  }

  run(statement: Statement, values: readonly SqlValue[] = []): Promise<number> {
    return this.connection.run(statement.text(this.dialect), values)
  }

  async insert<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[], options: { onConflict?: string } = {}): Promise<number> {
    const { onConflict = '' } = options
    // A conflict may change stored rows.
    const connection = onConflict === '' ? this.#rowConnection : this.connection
    return rows.length === 0 ? 0 : this.dialect.insertMany(connection, table, rows, { onConflict })
  }

  async update<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[], options: { key?: string } = {}): Promise<number> {
    return rows.length === 0 ? 0 : this.dialect.updateMany(this.connection, table, rows, options)
  }

  insertLater<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[]): void {
    if (rows.length === 0) return
    this.#writes.count += 1
    if (!this.dialect.usesSavepoints && this.#history.add(table, rows)) return
    const isRecorded = this.#runChanges?.addCreated(table, rows) ?? false
    this.#defer(this.dialect.insertMany(this.#laterConnection, table, rows, { isRecorded }))
  }

  updateLater<T extends TableName>(table: T, rows: readonly Partial<Row<T>>[], options: LaterUpdate = {}): void {
    if (rows.length === 0) return
    const isRecorded = this.#runChanges?.addUpdated(table, rows, options.stored) ?? false
    this.#defer(this.dialect.updateMany(this.#laterConnection, table, rows, { ...options, isRecorded }))
    const updates = this.#updates.get(table) ?? new Map()
    this.#updates.set(table, updates)
    // Not left to the statement, which may be sent in a later turn.
    this.#writes.count += 1
    for (const row of rows) updates.set((row as { id?: unknown }).id, this.#writes.count)
  }

  /** Sends the rows of histories and the changes of counts, and waits until the deferred writes are executed or, on a shared database, ready to be sent. */
  async awaitDeferred(): Promise<void> {
    this.#sendCollected()
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

  /** Remembers what is known after the commit, and forgets what it has changed otherwise. */
  updateMemory(): void {
    const remembered = this.#remembered
    if (!remembered) return
    if (this.#writes.lastUnknown > 0) {
      remembered.forgetAll()
      return
    }
    for (const [table, ids] of this.#updates) for (const id of ids.keys()) remembered.forget(rowKind(table), id as string)
    if (this.memory instanceof OpenMemory) this.memory.commit()
  }

  hasWrittenSince(mark: TransactionMark): boolean {
    return this.#writes.count > mark.writes || this.events.length > mark.events
  }
}

/** On a shared database no constraint or trigger connects the rows of these tables to others, so it does not matter when in a transaction they are inserted. */
type HistoryTable = Extract<TableName, 'flow_run_state' | 'task_run_state' | 'verdict'>
const historyTables: ReadonlySet<TableName> = new Set<HistoryTable>(['flow_run_state', 'task_run_state', 'verdict'])

/** Rows of several batches of a transaction that become one statement for each table. */
class HistoryRows {
  readonly #rows = new Map<TableName, Partial<Row<TableName>>[]>()

  /** Returns false for another table. */
  add(table: TableName, rows: readonly Partial<Row<TableName>>[]): boolean {
    if (!historyTables.has(table)) return false
    const present = this.#rows.get(table)
    if (present) present.push(...rows)
    else this.#rows.set(table, [...rows])
    return true
  }

  take(insert: (table: TableName, rows: readonly Partial<Row<TableName>>[]) => void): void {
    if (this.#rows.size === 0) return
    const taken = [...this.#rows]
    this.#rows.clear()
    for (const [table, rows] of taken) insert(table, rows)
  }
}

interface WriteCounter {
  count: number
  /** The number of the last write whose rows are unknown. */
  lastUnknown: number
}

interface Observer {
  readonly beforeEach: () => void
  readonly onWrite: () => void
}

function observe(inner: Connection, { beforeEach, onWrite }: Observer): Connection {
  return {
    all: (text, values) => {
      beforeEach()
      if (!/^\s*(select|with)\b/i.test(text)) onWrite()
      return inner.all(text, values)
    },
    run: (text, values) => {
      beforeEach()
      onWrite()
      return inner.run(text, values)
    },
    runEach: (text, rows) => {
      beforeEach()
      onWrite()
      return inner.runEach(text, rows)
    },
    script: (text) => {
      beforeEach()
      onWrite()
      return inner.script(text)
    },
  }
}
