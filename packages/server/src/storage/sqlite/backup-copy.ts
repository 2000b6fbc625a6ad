import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { monotonicSeconds } from '../../lib/time.ts'

/** Pages per step: 1 MiB. Each step is flushed, because a flush of the server's commits can wait for the unwritten pages of the copy. */
const pagesPerStep = 256

/**
 * The share of the disk beside a server that writes 100 flow runs per second on two cores: with a share of 1 the p99 of a write rises from 14 to 177 ms.
 */
export const serverDiskShare = 0.25

export interface CopyProgress {
  readonly totalPages: number
  readonly remainingPages: number
}

export interface CopyOptions {
  /** Share of the time in which the copy uses the disk; the server has the rest. */
  readonly diskShare?: number
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined
}

/**
 * Copies a database file with its write-ahead log while a server writes to it. The copy is the state at one moment: an open read transaction keeps the
 * pages of that moment in the log. Without it SQLite starts the copy again after each commit of the server. Blocks its thread during pauses.
 */
export async function copyDatabase(source: string, target: string, { diskShare = 1, onProgress }: CopyOptions = {}): Promise<void> {
  const database = new DatabaseSync(source, { readOnly: true, timeout: 5000 })
  let file: number | undefined
  let stepStartedAt = monotonicSeconds()
  try {
    database.exec('begin')
    // The transaction starts with the first read.
    database.prepare('select count(*) from sqlite_master').get()
    await backup(database, target, {
      rate: pagesPerStep,
      progress(progress) {
        file ??= openSync(target, 'r+')
        fdatasyncSync(file)
        pause((monotonicSeconds() - stepStartedAt) * (1 / diskShare - 1))
        stepStartedAt = monotonicSeconds()
        onProgress?.(progress)
      },
    })
  } finally {
    if (file !== undefined) closeSync(file)
    database.close()
  }
  makeSingleFile(target)
}

/** Merges the write-ahead log of a file that no server uses. Without a log the copy is one file, which can be read on a read-only disk. */
export function makeSingleFile(file: string): void {
  const database = new DatabaseSync(file)
  try {
    database.exec('pragma journal_mode = delete')
    // The mark of a running server is part of the copy (startup-checks.ts).
    database.exec('pragma user_version = 0')
  } finally {
    database.close()
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4))

const pause = (seconds: number): void => {
  if (seconds > 0) Atomics.wait(sleeper, 0, 0, seconds * 1000)
}
