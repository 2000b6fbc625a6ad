import { type BigIntStats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { errorCode } from '../../lib/startup-error.ts'
import { afterSeconds } from '../../lib/time.ts'
import type { Connection } from '../connection.ts'
import type { DatabaseBackups } from '../pool.ts'
import { walPath } from './startup-checks.ts'

/** Operators that delete a file expect an answer soon; a check costs 20 µs on another thread. */
const checkSeconds = 1

/** The database file is gone, so that nothing that is written would be found again. Clients see the message: it contains no path. */
export class FileLostError extends Error {
  /** What the log says. */
  readonly report: string

  constructor(what: string, report: string) {
    super(`${what} Restart the server once the file is in place.`)
    this.report = report
  }
}

/** Notices when the files of an open database are not at their place any more. */
export interface FileWatch {
  /** Set for good as soon as it is known: a restart reads the file that is there then. */
  readonly lost: FileLostError | undefined
  start(onLost: (error: FileLostError) => void): void
  stop(): void
}

interface WatchedFile {
  readonly path: string
  readonly what: string
  readonly advice: string
  /** Undefined until the file exists: SQLite creates the log with the first read or write. */
  identity: string | undefined
}

/**
 * SQLite goes on with an open file that was deleted, moved or replaced: reads and writes succeed, and all of them are lost with the process. The system tells
 * nobody, so the files are compared with those that were opened.
 */
export function watchFiles(file: string): FileWatch {
  const files: WatchedFile[] = [
    {
      path: file,
      what: 'The database file',
      advice: 'Stop the server, put the file back or restore it from a backup (`millrace restore`)',
      identity: undefined,
    },
    {
      path: walPath(file),
      what: 'The write-ahead log of the database',
      advice: 'Its commits were moved to the database file as far as possible. Stop the server',
      identity: undefined,
    },
  ]
  for (const each of files) {
    const found = statSync(each.path, { bigint: true, throwIfNoEntry: false })
    each.identity = found && identityOf(found)
  }
  let lost: FileLostError | undefined
  let stopTimer: (() => void) | undefined
  let isStopped = false

  async function findLost(): Promise<FileLostError | undefined> {
    for (const each of files) {
      const found = await readIdentity(each.path)
      if (found === 'unknown' || found === each.identity) continue
      if (each.identity === undefined) each.identity = found
      else return describeLoss(each, found === undefined)
    }
    return undefined
  }

  async function check(onLost: (error: FileLostError) => void): Promise<void> {
    lost = await findLost()
    if (isStopped) return
    if (lost) onLost(lost)
    else stopTimer = afterSeconds(checkSeconds, () => void check(onLost))
  }

  return {
    get lost() {
      return lost
    },
    start(onLost) {
      stopTimer = afterSeconds(checkSeconds, () => void check(onLost))
    },
    stop() {
      isStopped = true
      stopTimer?.()
    },
  }
}

const identityOf = ({ dev, ino }: BigIntStats): string => `${dev} ${ino}`

/** Undefined if the file does not exist. A folder without permission, or a disk that fails, says nothing about the file: reads and writes report it. */
async function readIdentity(path: string): Promise<string | undefined | 'unknown'> {
  try {
    return identityOf(await stat(path, { bigint: true }))
  } catch (error) {
    return ['ENOENT', 'ENOTDIR', 'ESTALE'].includes(errorCode(error) ?? '') ? undefined : 'unknown'
  }
}

function describeLoss({ path, what, advice }: WatchedFile, isMissing: boolean): FileLostError {
  const happened = isMissing ? 'was deleted or moved' : 'was replaced by another file'
  return new FileLostError(
    `${what} ${happened} while the server used it.`,
    `${what} ${path} ${happened} while the server used it, so what was written in the last seconds may be lost. All requests are answered with 503 from now on. ${advice}, and start it again.`,
  )
}

/** Fails once the file is lost. */
export function guardConnection(connection: Connection, watch: Pick<FileWatch, 'lost'>): Connection {
  const unlessLost = <R>(use: () => Promise<R>): Promise<R> => (watch.lost ? Promise.reject(watch.lost) : use())
  return {
    all: (text, values, options) => unlessLost(() => connection.all(text, values, options)),
    run: (text, values) => unlessLost(() => connection.run(text, values)),
    runEach: (text, rows) => unlessLost(() => connection.runEach(text, rows)),
    script: (text) => unlessLost(() => connection.script(text)),
  }
}

/** A backup of another file would push out those of this one. */
export const guardBackups = (backups: DatabaseBackups, watch: Pick<FileWatch, 'lost'>): DatabaseBackups => ({
  ...backups,
  create: (order, signal) => (watch.lost ? Promise.reject(watch.lost) : backups.create(order, signal)),
})
