import { closeSync, fdatasync, openSync } from 'node:fs'
import { walPath } from './startup-checks.ts'

/** A commit may be lost by a power loss. It is not rolled back, so its commands must not run again. */
export class FlushError extends Error {
  constructor(cause: unknown) {
    super('The write-ahead log could not be flushed to the disk', { cause })
  }
}

/** Flushes the write-ahead log to the disk. */
export interface WalSync {
  flush(): Promise<void>
  close(): void
}

/**
 * Flushes the log on a thread of Node's pool. With `synchronous = full` SQLite flushes it in the commit, which blocks the only thread that serves requests
 * for a third of the time under load. The write queue answers a command after `flush`, so that the promise is the same: an acknowledged write
 * survives a power loss.
 */
export function openWalSync(file: string): WalSync {
  // SQLite keeps the same file for the lifetime of its connections.
  let descriptor: number | undefined
  return {
    flush: () =>
      new Promise((resolve, reject) => {
        try {
          descriptor ??= openSync(walPath(file), 'r')
        } catch (error) {
          return reject(new FlushError(error))
        }
        fdatasync(descriptor, (error) => (error ? reject(new FlushError(error)) : resolve()))
      }),
    close() {
      if (descriptor !== undefined) closeSync(descriptor)
      descriptor = undefined
    },
  }
}
