import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { databaseTarget, keyFileOf } from '../../config/database-url.ts'
import type { Config } from '../../config.ts'
import { deriveKey } from '../../lib/encryption.ts'
import { errorCode, StartupError } from '../../lib/startup-error.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'

/** Where a server without the setting keeps the key that it made itself. */
export interface KeyStore {
  /** Whether whoever has the data has the key too. */
  readonly isInDatabase: boolean
  /** The keys, the one in use first. */
  read(db: Db): Promise<string[]>
  /** Puts a key before those that are known to be there; does nothing when there is another one since. */
  add(context: ServerContext, known: readonly string[], key: string): Promise<void>
}

/**
 * Beside a SQLite file lies a key file that only its owner can read: a copy of the database alone gives away no secret. PostgreSQL is
 * shared by replicas that share nothing else, so the key lies in a table there, as in the reference: it guards backups of single tables
 * and a look over a shoulder, not a copy of the whole database. Who wants that sets the key, and a server without the setting says so.
 */
export function selectKeyStore(databaseUrl: string): KeyStore {
  const target = databaseTarget(databaseUrl)
  if (target.dialect === 'postgres') return tableKeyStore
  // A database in memory is gone before anybody could take it.
  return target.path === ':memory:' ? { ...tableKeyStore, isInDatabase: false } : fileKeyStore(keyFileOf(target.path))
}

/** Refuses to start with keys that cannot be used: it would show only when somebody opens a block. */
export function checkKeys(config: Config): void {
  for (const text of (config.server.encryption_key ?? '').split(',')) {
    if (text.trim() !== '') assertUsableKey(text, (reason) => new StartupError('settings', `MILLRACE_SERVER_ENCRYPTION_KEY: ${reason}.`))
  }
  const target = databaseTarget(config.database.url)
  if (target.dialect === 'sqlite' && target.path !== ':memory:') checkKeyFile(keyFileOf(target.path))
}

function checkKeyFile(path: string): void {
  const keys = readKeys(path, (error) => {
    return new StartupError('databaseUnusable', `The key file ${path} cannot be read (${errorCode(error)}). Make it readable for this user.`, error)
  })
  const refuse = (reason: string) => new StartupError('databaseUnusable', `The key file ${path} ${reason}. Restore it from a backup.`)
  if (keys?.length === 0) throw refuse('is empty')
  keys?.forEach((key, index) => {
    if (/[^\x20-\x7e\r]/.test(key)) throw refuse(`holds no valid key in line ${index + 1}: a key is plain text`)
    assertUsableKey(key, (reason) => refuse(`holds no valid key in line ${index + 1}: ${reason.replace(/;.*/, '').replace(/^An/, 'an')}`))
  })
}

function assertUsableKey(text: string, refuse: (reason: string) => StartupError): void {
  try {
    deriveKey(text)
  } catch (error) {
    throw refuse((error as Error).message)
  }
}

/** A line each; undefined when there is no such file. */
function readKeys(path: string, explain: (error: unknown) => unknown = (error) => error): string[] | undefined {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw explain(error)
  }
}

function fileKeyStore(path: string): KeyStore {
  return {
    isInDatabase: false,
    read: async () => readKeys(path) ?? [],
    async add({ newId }, known, key) {
      const next = `${path}.${newId()}`
      writeFileSync(next, `${[key, ...known].join('\n')}\n`, { mode: 0o600, flag: 'wx', flush: true })
      if (known.length > 0 || !linkIfAbsent(next, path)) renameSync(next, path)
    },
  }
}

/** Puts the file in its place unless there is one: whoever comes second with a first key leaves the other's alone. False where files have no links. */
function linkIfAbsent(file: string, path: string): boolean {
  try {
    linkSync(file, path)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') return false
  }
  unlinkSync(file)
  return true
}

const all = statement('select secret from encryption_key order by number desc')

const tableKeyStore: KeyStore = {
  isInDatabase: true,
  read: async (db) => (await db.all<{ secret: string }>(all)).map(({ secret }) => secret),
  add: ({ writeQueue, clock }, known, secret) =>
    writeQueue.submit(async (tx) => {
      await tx.insert('encryption_key', [{ number: known.length + 1, created: clock.now(), secret }], { onConflict: 'on conflict do nothing' })
    }),
}
