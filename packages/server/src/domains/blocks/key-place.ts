import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { databaseTarget } from '../../config/database-url.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { Parts } from '../../storage/parts.ts'

/** Where a server without the setting keeps the key that it made itself. */
export interface KeyPlace {
  /** Whether whoever has the data has the key too. */
  readonly isWithData: boolean
  /** The keys, the one in use first. */
  read(db: Db): Promise<string[]>
  /** Puts a key before those that are known to be there; does nothing when there is another one since. */
  add(parts: Parts, known: readonly string[], key: string): Promise<void>
}

/**
 * Beside a SQLite file lies a key file that only its owner can read: a copy of the database alone gives away no secret. PostgreSQL is
 * shared by replicas that share nothing else, so the key lies in a table there, as in the reference: it guards backups of single tables
 * and a look over a shoulder, not a copy of the whole database. Who wants that sets the key, and a server without the setting says so.
 */
export function keyPlace(databaseUrl: string): KeyPlace {
  const target = databaseTarget(databaseUrl)
  if (target.dialect === 'postgres') return inTable
  // A database in memory is gone before anybody could take it.
  return target.path === ':memory:' ? { ...inTable, isWithData: false } : inFile(`${resolve(target.path)}.key`)
}

/** A line each. */
function inFile(path: string): KeyPlace {
  const read = (): string[] => {
    try {
      return readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line.trim() !== '')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }
  return {
    isWithData: false,
    read: async () => read(),
    async add({ newId }, known, key) {
      const next = `${path}.${newId()}`
      writeFileSync(next, `${[key, ...known].join('\n')}\n`, { mode: 0o600, flag: 'wx', flush: true })
      if (known.length > 0 || !linked(next, path)) renameSync(next, path)
    },
  }
}

/** Puts the file in its place unless there is one: whoever comes second with a first key leaves the other's alone. False where files have no links. */
function linked(file: string, path: string): boolean {
  try {
    linkSync(file, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
  }
  unlinkSync(file)
  return true
}

const all = statement('select secret from encryption_key order by number desc')

const inTable: KeyPlace = {
  isWithData: true,
  read: async (db) => (await db.all<{ secret: string }>(all)).map(({ secret }) => secret),
  add: ({ lane, clock }, known, secret) =>
    lane.submit(async (tx) => {
      await tx.insert('encryption_key', [{ number: known.length + 1, created: clock.now(), secret }], { onConflict: 'on conflict do nothing' })
    }),
}
