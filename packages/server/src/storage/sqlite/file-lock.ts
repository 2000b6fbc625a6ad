import { rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { errorCode, StartupError } from '../../lib/startup-error.ts'
import { formatTime, type Micros } from '../../lib/time.ts'
import { resultCode, sqliteCodes } from './startup-checks.ts'

/** The process that opens a database, as named in the message to the next one: "the server at http://127.0.0.1:4200". */
export interface Holder {
  readonly name: string
  readonly now: Micros
}

export interface FileLock {
  release(): void
}

/**
 * Ensures that one server uses a SQLite file. Two servers on one file would answer 500 to half of the writes.
 *
 * The lock is the write lock of a small database next to the file. The operating system releases it when the process ends in any way, so it is never
 * stale; Node offers no other such lock. A row in it names the holder. Others can read the row, because a write lock does not block reads. The file
 * stays when the lock is released: removing it would let two processes lock two different files of that name.
 */
export function lockFile(database: string, file: string, holder: Holder): FileLock {
  try {
    return acquireLock(database, file, holder)
  } catch (error) {
    const code = resultCode(error)
    if (code !== sqliteCodes.notADatabase && code !== sqliteCodes.corrupt) throw error
    // Damaged by a power loss: its holder is gone.
    rmSync(file)
    return acquireLock(database, file, holder)
  }
}

function acquireLock(database: string, file: string, holder: Holder): FileLock {
  createPrivateFile(file)
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    // The content does not need to survive a power loss.
    lock.exec('pragma journal_mode = memory; pragma synchronous = off')
    lock.exec('begin immediate; create table if not exists holder (name text, pid integer, host text, since text); delete from holder')
    const insert = lock.prepare('insert into holder (name, pid, host, since) values (?, ?, ?, ?)')
    insert.run(holder.name, process.pid, hostname(), formatTime(holder.now))
    // If another process takes the lock between these two statements, this one fails.
    lock.exec('commit; begin immediate')
    return { release: () => lock.close() }
  } catch (error) {
    const isTaken = resultCode(error) === sqliteCodes.busy
    const current = isTaken ? readHolder(lock) : undefined
    lock.close()
    if (!isTaken) throw error
    throw new StartupError('databaseInUse', inUseMessage(database, current), error)
  }
}

interface HolderRow {
  readonly name: string
  readonly pid: number
  readonly host: string
  readonly since: string
}

function readHolder(lock: DatabaseSync): HolderRow | undefined {
  try {
    return lock.prepare('select name, pid, host, since from holder').get() as HolderRow | undefined
  } catch {
    // The other process has not written it yet.
    return undefined
  }
}

function inUseMessage(database: string, holder: HolderRow | undefined): string {
  const who = holder
    ? `${holder.name} (process ${holder.pid} on ${holder.host}, since ${holder.since.replace(/\.\d+Z$/, 'Z')})`
    : 'another process that is just starting'
  return `The database ${database} is in use by ${who}. Stop that process first, or choose another database with --database; several servers can share a PostgreSQL database, not a SQLite file.`
}

/**
 * Creates the file if it is missing. An existing file must not be opened here: closing it would release a lock that this process holds on it through
 * SQLite.
 */
function createPrivateFile(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
