import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { afterSeconds } from '../../lib/time.ts'
import { yieldToEventLoop } from '../../lib/time-slice.ts'
import type { Connection, SqlValue, WriteConnection } from '../connection.ts'
import type { Pool } from '../pool.ts'
import { sqlite } from './dialect.ts'
import { type Holder, lockFile } from './file-lock.ts'
import { restrictPermissions } from './file-permissions.ts'
import {
  checkTables,
  explainFileError,
  isLogMissing,
  markClosed,
  markInOperation,
  rejectLostDatabase,
  resultCode,
  walPath,
} from './startup-checks.ts'

/** Statements are kept prepared; filters make new texts without end, so the oldest are let go. */
const statementsMax = 400

/** Rows that are written before others get a turn: some five milliseconds. */
const rowsPerYield = 500

interface Prepared {
  readonly statement: StatementSync
  /** Makes an object of a row's values; undefined for a statement that returns none. */
  readonly toRow: ((values: unknown[]) => unknown) | undefined
}

/** A copy of the main file alone lacks at most what was committed in this time. A checkpoint after which nothing was written costs nothing. */
const checkpointSeconds = 30

/** The first one makes sure that a new file has its tables. It waits for the disk three times, so it comes when the start is over. */
const firstCheckpointSeconds = 1

export interface SqliteOptions {
  /** Takes the lock of the file for this holder; without one, the file is not locked. A database in memory never is. */
  readonly holder?: Holder
  readonly checkpointSeconds?: number
  readonly firstCheckpointSeconds?: number
}

/**
 * Two connections to one file: the lane's, which is the only writer, and one for reads, which sees committed data only.
 * `sqlite::memory:` is a file in a temporary folder that goes with the pool, as SQLite's own memory databases cannot be
 * read while they are written. Throws a `StartupError` when the file cannot be used.
 */
export function openSqlite(url: string, options: SqliteOptions = {}): Pool {
  const path = url.slice('sqlite:'.length)
  const temporary = path === ':memory:' ? mkdtempSync(join(tmpdir(), 'millrace-')) : undefined
  const file = temporary ? join(temporary, 'millrace.db') : resolve(path.replace(/^~(?=\/)/, homedir()))
  try {
    return openFile(file, temporary, options)
  } catch (error) {
    throw explainFileError(error, file) ?? error
  }
}

function openFile(file: string, temporary: string | undefined, options: SqliteOptions): Pool {
  if (!temporary) mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  rejectLostDatabase(file)
  restrictPermissions(file)
  const hadLog = existsSync(walPath(file))
  const opened: { close(): void }[] = []
  try {
    const writer = openDatabase(file)
    opened.unshift(writer)
    checkTables(writer, file)
    if (options.holder && !temporary) {
      const lock = lockFile(file, `${realpathSync(file)}.lock`, options.holder)
      opened.push({ close: () => lock.release() })
    }
    const warnings = isLogMissing(writer, hadLog) ? [missingLogWarning(file)] : []
    // Before anything is written, or it has no effect: what retention frees can be given back later, see `freeDisk` of the dialect.
    writer.exec('pragma auto_vacuum = incremental')
    writer.exec('pragma journal_mode = wal')
    // What was answered must survive the loss of power; a temporary database survives nothing anyway.
    writer.exec(`pragma synchronous = ${temporary ? 'off' : 'full'}`)
    // Checkpoints stop the writer for as long as they copy, so not too many pages; but a page that is changed often is then copied once (ADR 0002).
    writer.exec('pragma wal_autocheckpoint = 8000')
    const reader = openDatabase(file)
    opened.unshift(reader)
    reader.exec('pragma query_only = on')
    // As much as SQLite allows: 20,000 runs here and there in a file of 2.4 GB are read in 40 ms instead of 100 ms. It takes addresses, not memory.
    reader.exec('pragma mmap_size = 2147418112')
    const times = { checkpointSeconds, firstCheckpointSeconds, ...options }
    return createPool(file, { writer, reader, warnings, temporary, ...times, closeAll: () => closeAll(opened) })
  } catch (error) {
    closeAll(opened)
    throw error
  }
}

const missingLogWarning = (file: string): string =>
  `The database ${file} was in operation when it was last written, and its write-ahead log ${walPath(file)} is missing. If the file was copied from a running server without it, the latest changes are missing too: copy both files again, or use \`sqlite3 ${file} ".backup COPY"\`.`

interface OpenedDatabase {
  readonly writer: DatabaseSync
  readonly reader: DatabaseSync
  readonly warnings: readonly string[]
  readonly temporary: string | undefined
  readonly checkpointSeconds: number
  readonly firstCheckpointSeconds: number
  closeAll(): void
}

function createPool(file: string, { writer, reader, warnings, temporary, closeAll, ...times }: OpenedDatabase): Pool {
  let stopCheckpoints: (() => void) | undefined
  let isMarked = false

  function runCheckpoint(): void {
    isMarked ||= tryMarkInOperation(writer)
    checkpoint(reader)
    stopCheckpoints = afterSeconds(isMarked ? times.checkpointSeconds : times.firstCheckpointSeconds, runCheckpoint)
  }

  const writing = writeConnection(cachedConnection(writer))
  return {
    dialect: sqlite,
    reads: cachedConnection(reader),
    writersMax: 1,
    withWriter: (use) => use(writing),
    withMaintenance: (use) => use(writing),
    async start() {
      stopCheckpoints = afterSeconds(times.firstCheckpointSeconds, runCheckpoint)
    },
    // Errors of the file system come from elsewhere: the file is open.
    explainStartError: (error) => (resultCode(error) === undefined ? undefined : explainFileError(error, file)),
    warnings,
    async close() {
      stopCheckpoints?.()
      try {
        writer.exec('pragma optimize')
        if (isMarked) markClosed(writer)
      } catch {
        // A full disk, for instance. Neither holds anything of ours.
      }
      closeAll()
      if (temporary) rmSync(temporary, { recursive: true, force: true })
    },
  }
}

/** False while the lane has a transaction open, which this must not become part of. */
function tryMarkInOperation(writer: DatabaseSync): boolean {
  if (writer.isTransaction) return false
  try {
    markInOperation(writer)
    return true
  } catch {
    // A full disk, for instance. Writes report what is wrong.
    return false
  }
}

/** By the reader, as the writer may be within a transaction: the pragma is one that a connection for reads may use. */
function checkpoint(reader: DatabaseSync): void {
  try {
    reader.exec('pragma wal_checkpoint(passive)')
  } catch {
    // A full disk, for instance. Everything stays in the log, and writes report what is wrong.
  }
}

/** The lock last, when nothing uses the file any more. */
function closeAll(opened: readonly { close(): void }[]): void {
  for (const one of opened) one.close()
}

const connections = new WeakMap<DatabaseSync, Connection>()

function cachedConnection(database: DatabaseSync): Connection {
  const known = connections.get(database) ?? createConnection(database)
  connections.set(database, known)
  return known
}

const writeConnection = (connection: Connection): WriteConnection => ({
  ...connection,
  lost: undefined,
  async begin() {
    await connection.run('begin', [])
  },
  // With one writer the order of writing is the order of commits.
  async runInLogOrder(text, values) {
    await connection.run(text, values)
  },
  async commit() {
    await connection.run('commit', [])
  },
  async rollback() {
    await connection.run('rollback', [])
  },
})

function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5000 })
  try {
    database.exec('pragma cache_size = -65536')
    database.exec('pragma mmap_size = 268435456')
    database.exec('pragma temp_store = memory')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function createConnection(database: DatabaseSync): Connection {
  const statements = new Map<string, Prepared>()

  function prepare(text: string): Prepared {
    const known = statements.get(text)
    if (known) return known
    const statement = database.prepare(text.replaceAll(/\$(\d+)/g, '?$1'))
    const names = statement.columns().map(({ name }) => name)
    const prepared = { statement, toRow: names.length > 0 ? compileRowFactory(names) : undefined }
    if (prepared.toRow) statement.setReturnArrays(true)
    if (statements.size >= statementsMax) statements.delete(statements.keys().next().value as string)
    statements.set(text, prepared)
    return prepared
  }

  return {
    async all<R>(text: string, values: readonly SqlValue[]) {
      const { statement, toRow } = prepare(text)
      // Also where no rows come of it: `run` would leave an incremental vacuum after its first page.
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
        // The lane alone writes, so that nobody else can come into its transaction meanwhile.
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
 * Objects as a literal would make them: `node:sqlite` makes its own without a prototype and one property at a time, which is slow to make and
 * slow to read. A page of 200 runs: 2.5 ms instead of 5.0 ms with the answers made of it. The names come from our own statements.
 */
function compileRowFactory(names: readonly string[]): (values: unknown[]) => unknown {
  const fields = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`)
  return new Function('values', `return { ${fields.join(', ')} }`) as (values: unknown[]) => unknown
}

/** `node:sqlite` binds no booleans, and takes a missing value for null without a word. */
function toSqliteValues(values: readonly SqlValue[]): SQLInputValue[] {
  return values.map((value) => {
    if (typeof value === 'boolean') return value ? 1 : 0
    if (value === undefined || Array.isArray(value)) throw new TypeError(`cannot bind ${JSON.stringify(value)}`)
    return value as SQLInputValue
  })
}
