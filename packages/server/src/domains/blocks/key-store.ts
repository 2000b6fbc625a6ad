import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { databaseTarget, keyFileOf } from '../../config/database-url.ts'
import type { Config } from '../../config.ts'
import { deriveKey } from '../../lib/encryption.ts'
import { errorCode, StartupError } from '../../lib/startup-error.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { ActingContext } from '../../storage/server-context.ts'

/** Stores the generated key of a server without the setting. */
export interface KeyStore {
  /** Whether the key is in the database that it protects. */
  readonly isInDatabase: boolean
  /** The keys, current one first. */
  read(db: Db): Promise<string[]>
  /** Adds a key before the known ones. Does nothing if another key was added meanwhile. */
  add(context: ActingContext, known: readonly string[], key: string): Promise<void>
}

/**
 * For SQLite the key is in a file next to the database that only its owner can read: a copy of the database contains no readable secret.
 * Replicas on PostgreSQL share nothing but the database, so the key is in a table, as in the reference. That protects backups of single
 * tables, not a copy of the whole database. For more protection set the key; a server without the setting logs a warning.
 */
export function selectKeyStore(databaseUrl: string): KeyStore {
  const target = databaseTarget(databaseUrl)
  if (target.dialect === 'postgres') return tableKeyStore
  // An in-memory database cannot be copied.
  return target.path === ':memory:' ? { ...tableKeyStore, isInDatabase: false } : fileKeyStore(keyFileOf(target.path))
}

/** Fails at startup if a key is invalid; otherwise the error appears only when a block is read. */
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

/** The ids of all keys that a server with these settings knows. */
export async function readKeyIds(db: Db, config: Config): Promise<string[]> {
  const configured = (config.server.encryption_key ?? '').split(',').filter((key) => key.trim() !== '')
  return [...configured, ...(await selectKeyStore(config.database.url).read(db))].map((key) => deriveKey(key).id)
}

function assertUsableKey(text: string, refuse: (reason: string) => StartupError): void {
  try {
    deriveKey(text)
  } catch (error) {
    throw refuse((error as Error).message)
  }
}

/** One key per line; undefined if the file does not exist. */
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

/** Creates the file unless it exists, so that the first of two concurrent writers wins. Returns false if the file system has no hard links. */
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
  add: ({ commands, clock }, known, secret) =>
    commands.submit(async (tx) => {
      await tx.insert('encryption_key', [{ number: known.length + 1, created: clock.now(), secret }], { onConflict: 'on conflict do nothing' })
    }),
}
