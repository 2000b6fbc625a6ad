import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

/** The database, the companion files of SQLite, and the key file. */
const suffixes = ['', '-wal', '-shm', '-journal', '.key']

const ownerOnly = 0o600
const others = 0o007

/**
 * Restricts a database to its owner, because it contains parameters, logs and events. SQLite gives its companion files the mode of the database.
 * A world-readable file of this user is restricted; a group-readable one stays, because the group was given access on purpose.
 */
export function restrictPermissions(file: string): void {
  try {
    closeSync(openSync(file, 'a', ownerOnly))
  } catch {
    // SQLite fails to open the file too, and that error is explained to the user.
    return
  }
  for (const ending of suffixes) {
    const found = statSync(file + ending, { throwIfNoEntry: false })
    if (!found || (found.mode & others) === 0 || (process.getuid && found.uid !== process.getuid())) continue
    chmodSync(file + ending, ownerOnly)
  }
}
