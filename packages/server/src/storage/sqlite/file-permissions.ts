import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

/** The database, what SQLite puts beside it, and the key file. */
const suffixes = ['', '-wal', '-shm', '-journal', '.key']

const ownerOnly = 0o600
const others = 0o007

/**
 * Makes sure that nobody but the owner can read a database: it holds parameters, logs and events. SQLite gives its other files the mode of the database.
 * A file that the world could read is closed to it if it is ours; one that a group may read was made so on purpose.
 */
export function restrictPermissions(file: string): void {
  try {
    closeSync(openSync(file, 'a', ownerOnly))
  } catch {
    // A file that cannot be opened fails again when SQLite opens it, with an error that is explained.
    return
  }
  for (const ending of suffixes) {
    const found = statSync(file + ending, { throwIfNoEntry: false })
    if (!found || (found.mode & others) === 0 || (process.getuid && found.uid !== process.getuid())) continue
    chmodSync(file + ending, ownerOnly)
  }
}
