import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { yieldToEventLoop } from '../../lib/time-slice.ts'
import type { Connection, SqlValue, WriteConnection } from '../connection.ts'
import { compileRowFactory } from '../row-factory.ts'

/** Prepared statements are cached. Filters produce ever new texts, so the oldest are evicted. */
const statementsMax = 400

/** Rows written per turn of the event loop: about five milliseconds. */
const rowsPerYield = 500

/** Rows as arrays, which another thread gets faster than objects. */
export interface SelectedRows {
  readonly names: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

export interface SqliteConnection extends Connection {
  select(text: string, values: readonly SqlValue[]): SelectedRows
}

interface Prepared {
  readonly statement: StatementSync
  readonly names: readonly string[]
  /** Builds an object from the values of a row; undefined for a statement without columns. */
  readonly toRow: ((values: readonly unknown[]) => unknown) | undefined
}

/** Runs statements on an open database file. */
export function createConnection(database: DatabaseSync): SqliteConnection {
  const statements = new Map<string, Prepared>()

  function prepare(text: string): Prepared {
    const cached = statements.get(text)
    if (cached) return cached
    const statement = database.prepare(text.replaceAll(/\$(\d+)/g, '?$1'))
    const names = statement.columns().map(({ name }) => name)
    const prepared = { statement, names, toRow: names.length > 0 ? compileRowFactory(names) : undefined }
    if (prepared.toRow) statement.setReturnArrays(true)
    if (statements.size >= statementsMax) statements.delete(statements.keys().next().value as string)
    statements.set(text, prepared)
    return prepared
  }

  return {
    select(text, values) {
      const { statement, names } = prepare(text)
      return { names, rows: statement.all(...toSqliteValues(values)) as unknown as unknown[][] }
    },
    async all<R>(text: string, values: readonly SqlValue[]) {
      const { statement, toRow } = prepare(text)
      // Not `run` for statements without rows: it would stop an incremental vacuum after its first page.
      const rows = statement.all(...toSqliteValues(values)) as unknown as unknown[][]
      return toRow ? (rows.map(toRow) as R[]) : []
    },
    async run(text, values) {
      return Number(prepare(text).statement.run(...toSqliteValues(values)).changes)
    },
    async runEach(text, rows) {
      const { statement } = prepare(text)
      let changed = 0
      let done = 0
      for (const values of rows) {
        changed += Number(statement.run(...toSqliteValues(values)).changes)
        done += 1
        // Safe within a transaction, because only the write queue uses this connection.
        if (done % rowsPerYield === 0) await yieldToEventLoop()
      }
      return changed
    },
    async script(text) {
      database.exec(text)
    },
  }
}

/**
 * Reads what is committed. A connection drops its page cache when it reads after a commit of another one, so reads use the writer, whose pages stay in memory, while
 * it has no transaction open. Its statements of reads have their own cache, because filters would evict those of writes.
 */
export function createCommittedReads(writer: DatabaseSync, reader: DatabaseSync): Connection {
  const [onWriter, onReader] = [createConnection(writer), createConnection(reader)]
  return {
    ...onReader,
    all: (text, values) => (writer.isTransaction ? onReader : onWriter).all(text, values),
  }
}

/** Adds transactions to the connection of the writer. `flush` makes a commit survive a power loss. */
export const createWriteConnection = (connection: Connection, flush: () => Promise<void>): WriteConnection => ({
  ...connection,
  lost: undefined,
  async begin() {
    await connection.run('begin', [])
  },
  // With a single writer the write order is the commit order.
  async runInLogOrder(text, values) {
    await connection.run(text, values)
  },
  runLater: (text, values) => connection.run(text, values),
  async commit() {
    await connection.run('commit', [])
    await flush()
  },
  async rollback() {
    await connection.run('rollback', [])
  },
})

/** `node:sqlite` rejects booleans, and silently binds undefined as null. Most lists need no copy. */
function toSqliteValues(values: readonly SqlValue[]): SQLInputValue[] {
  for (const value of values) if (typeof value === 'boolean' || value === undefined || Array.isArray(value)) return values.map(toSqliteValue)
  return values as SQLInputValue[]
}

function toSqliteValue(value: SqlValue): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === undefined || Array.isArray(value)) throw new TypeError(`Cannot bind ${JSON.stringify(value)}`)
  return value as SQLInputValue
}
