import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterSeconds } from '../../lib/time.ts'
import type { Pool, ReadPool } from '../pool.ts'
import { createCommittedReads, createConnection, createWriteConnection } from './connection.ts'
import { sqlite } from './dialect.ts'
import { type Holder, lockFile } from './file-lock.ts'
import { restrictPermissions } from './file-permissions.ts'
import { guardBackups, guardConnection, watchFiles } from './file-watch.ts'
import { createReadThread } from './read-thread.ts'
import { createBackups } from './run-backup.ts'
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
import { openWalSync, type WalSync } from './wal-sync.ts'

/** A copy of the main file alone lacks at most the commits of this time. A checkpoint without new writes costs nothing. */
const checkpointSeconds = 30

/** The first checkpoint puts the tables into a new file. It waits for the disk three times, so it runs after the startup. */
const firstCheckpointSeconds = 1

export interface SqliteOptions {
  /** Locks the file for this holder. Without a holder, and for a database in memory, the file is not locked. */
  readonly holder?: Holder
  readonly checkpointSeconds?: number
  readonly firstCheckpointSeconds?: number
}

/**
 * Opens two connections to one file: the only writer, used by the write queue, and one for reads while a transaction of the writer is open. Reads see committed data
 * only. A third one, on a thread, is opened with the first long read.
 * `sqlite::memory:` is a file in a temporary folder that is removed with the pool, because SQLite's own in-memory databases cannot be
 * read while they are written. Throws a `StartupError` when the file cannot be used.
 */
export function openSqlite(url: string, options: SqliteOptions = {}): Pool {
  const temporary = url === memoryUrl ? mkdtempSync(join(tmpdir(), 'millrace-')) : undefined
  const file = temporary ? join(temporary, 'millrace.db') : filePath(url)
  try {
    return openFile(file, temporary, options)
  } catch (error) {
    throw explainFileError(error, file) ?? error
  }
}

const memoryUrl = 'sqlite::memory:'

const filePath = (url: string): string => resolve(url.slice('sqlite:'.length).replace(/^~(?=\/)/, homedir()))

/** Opens a file for reading, beside a server that may use it. Returns undefined if the file does not exist. */
export function openSqliteForReading(url: string): ReadPool | undefined {
  const file = filePath(url)
  if (url === memoryUrl || !existsSync(file)) return undefined
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    return {
      dialect: sqlite,
      reads: createConnection(database),
      explainStartError: (error) => explainFileError(error, file),
      close: async () => database.close(),
    }
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
    // Has no effect after the first write. Needed by `incrementalVacuum` of the dialect to return freed pages.
    writer.exec('pragma auto_vacuum = incremental')
    writer.exec('pragma journal_mode = wal')
    // Acknowledged writes must survive a power loss, but `walSync` flushes their commits. A temporary database has nothing to keep.
    writer.exec(`pragma synchronous = ${temporary ? 'off' : 'normal'}`)
    const walSync = temporary ? undefined : openWalSync(file)
    if (walSync) opened.push(walSync)
    // A checkpoint blocks the writer while it copies pages. A larger log copies a frequently changed page only once (ADR 0002).
    writer.exec('pragma wal_autocheckpoint = 8000')
    const reader = openDatabase(file, readPragmas)
    opened.unshift(reader)
    const times = { checkpointSeconds, firstCheckpointSeconds, ...options }
    return createPool(file, { writer, reader, walSync, warnings, temporary, ...times, closeAll: () => closeAll(opened) })
  } catch (error) {
    closeAll(opened)
    throw error
  }
}

const missingLogWarning = (file: string): string =>
  `The database ${file} was in operation when it was last written, and its write-ahead log ${walPath(file)} is missing. If the file was copied from a running server without it, the latest changes are missing too: copy both files again, or use \`millrace backup\`.`

interface OpenedDatabase {
  readonly writer: DatabaseSync
  readonly reader: DatabaseSync
  readonly walSync: WalSync | undefined
  readonly warnings: readonly string[]
  readonly temporary: string | undefined
  readonly checkpointSeconds: number
  readonly firstCheckpointSeconds: number
  closeAll(): void
}

function createPool(file: string, { writer, reader, walSync, warnings, temporary, closeAll, ...times }: OpenedDatabase): Pool {
  const watch = watchFiles(file)
  let onFileLost: (message: string) => void = () => {}
  let stopCheckpoints: (() => void) | undefined
  let isMarked = false

  function runCheckpoint(): void {
    isMarked ||= tryMarkInOperation(writer)
    checkpoint(reader)
    stopCheckpoints = afterSeconds(isMarked ? times.checkpointSeconds : times.firstCheckpointSeconds, runCheckpoint)
  }

  const longReads = createReadThread({ file, pragmas: readPragmas })
  const writeSide = createWriteConnection(createConnection(writer), async () => walSync?.flush())
  return {
    dialect: sqlite,
    reads: guardConnection(createCommittedReads(writer, reader), watch),
    longReads: guardConnection(longReads.connection, watch),
    writersMax: 1,
    async withWriter(use) {
      if (watch.lost) throw watch.lost
      return use(writeSide)
    },
    withMaintenance: (use) => use(writeSide),
    onFileLost(report) {
      onFileLost = report
    },
    async start() {
      watch.start((error) => {
        // If only the log is gone, this saves its commits.
        checkpoint(reader)
        onFileLost(error.report)
      })
      stopCheckpoints = afterSeconds(times.firstCheckpointSeconds, runCheckpoint)
    },
    // File system errors have other causes at this point: the file is already open.
    explainStartError: (error) => (resultCode(error) === undefined ? undefined : explainFileError(error, file)),
    warnings,
    backups: temporary ? undefined : guardBackups(createBackups(file), watch),
    async close() {
      watch.stop()
      stopCheckpoints?.()
      await longReads.close()
      try {
        writer.exec('pragma optimize')
        if (isMarked) markClosed(writer)
      } catch {
        // For example a full disk. Neither statement stores user data.
      }
      closeAll()
      if (temporary) rmSync(temporary, { recursive: true, force: true })
    },
  }
}

/** Returns false while the write queue has a transaction open, because the mark must not become part of it. */
function tryMarkInOperation(writer: DatabaseSync): boolean {
  if (writer.isTransaction) return false
  try {
    markInOperation(writer)
    return true
  } catch {
    // For example a full disk. Writes report the error.
    return false
  }
}

/** Uses the reader, because the writer may be in a transaction. The pragma is allowed on a `query_only` connection. */
function checkpoint(reader: DatabaseSync): void {
  try {
    reader.exec('pragma wal_checkpoint(passive)')
  } catch {
    // For example a full disk. The data stays in the log, and writes report the error.
  }
}

/** Closes the lock last, when the file is no longer in use. */
function closeAll(opened: readonly { close(): void }[]): void {
  for (const resource of opened) resource.close()
}

/**
 * The page cache of each connection. The system caches the file too: with 64 MiB each, the server took 100 MB more and was not faster. The file is
 * not mapped into memory: pages were not faster with it, and a history of 90 days and a million runs, which takes 0.65 s instead of 0.48 s, left 1.9 GB
 * of it resident.
 */
const cacheKibibytes = 8192

const pragmas = [`pragma cache_size = -${cacheKibibytes}`, 'pragma temp_store = memory']
const readPragmas = [...pragmas, 'pragma query_only = on']

function openDatabase(file: string, settings = pragmas): DatabaseSync {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5000 })
  try {
    for (const pragma of settings) database.exec(pragma)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
