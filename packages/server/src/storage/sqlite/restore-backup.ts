import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { keyFileOf } from '../../config/database-url.ts'
import { errorCode, StartupError } from '../../lib/startup-error.ts'
import { formatTime } from '../../lib/time.ts'
import { type BackupContent, checkBackup } from './backup-check.ts'
import { makeSingleFile } from './backup-copy.ts'
import { backupFileMode, backupKeyFile, compressedEnding, decompressFile, flushToDisk } from './backup-files.ts'
import { keyIdsOf } from './create-backup.ts'
import { type Holder, lockFile } from './file-lock.ts'
import { resultCode, walPath } from './startup-checks.ts'

export interface RestoreRequest {
  readonly backup: string
  /** Path of the database file, which may not exist. */
  readonly database: string
  readonly configuredKeys: readonly string[]
  /** Only checks the backup. */
  readonly checkOnly: boolean
  readonly holder: Holder
}

export interface RestoreResult extends BackupContent {
  readonly database: string
  /** Where the former database is; null if there was none. */
  readonly previous: string | null
  readonly warnings: readonly string[]
}

/**
 * Replaces a database by a backup. The backup is copied next to the database and checked before anything changes. The former database stays beside it
 * under another name. Throws a `StartupError` while a server uses the database.
 */
export async function restoreBackup(request: RestoreRequest): Promise<RestoreResult> {
  const { backup, holder } = request
  if (!existsSync(backup)) throw new StartupError('failed', `There is no backup ${backup}.`)
  const database = existsSync(request.database) ? realpathSync(request.database) : request.database
  if (existsSync(database) && realpathSync(backup) === database) throw new StartupError('failed', `${backup} is the database itself. Name a backup.`)
  const temporary = `${database}.restore-${process.pid}.tmp`
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 })
  const lock = request.checkOnly ? undefined : lockFile(database, `${database}.lock`, holder)
  try {
    await copyBackup(backup, temporary)
    const content = explainAs(backup, temporary, () => checkBackup(temporary, { full: true }))
    const warnings = missingKeyWarnings(content, request, database)
    if (request.checkOnly) return { ...content, database, previous: null, warnings }
    flushToDisk(temporary)
    const previous = replaceDatabase(database, temporary, backupKeyFile(backup), `${database}.before-restore-${stampOf(holder)}`)
    return { ...content, database, previous, warnings }
  } finally {
    for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${temporary}${ending}`, { force: true })
    lock?.release()
  }
}

const stampOf = ({ now }: Holder): string => formatTime(now).replaceAll(/[-:]|\.\d+/g, '')

async function copyBackup(backup: string, target: string): Promise<void> {
  try {
    if (backup.endsWith(compressedEnding)) return await decompressFile(backup, target)
    copyFileSync(backup, target)
    // A copy of a running server's file has its latest commits in the log. A backup of `millrace backup` has none.
    if (existsSync(walPath(backup))) copyFileSync(walPath(backup), `${target}-wal`)
    chmodSync(target, backupFileMode)
    ignoreDamage(() => makeSingleFile(target))
  } catch (error) {
    const code = errorCode(error)
    if (['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS'].includes(code)) {
      throw new StartupError(
        'failed',
        `The backup cannot be copied to ${target} (${code}). Nothing was changed. Free some space, or change the permissions.`,
        error,
      )
    }
    if (code.startsWith('ERR_') || code.startsWith('ZSTD') || code.startsWith('Z_')) {
      throw new StartupError(
        'databaseUnusable',
        `The backup ${backup} cannot be decompressed (${(error as Error).message}). Choose another one.`,
        error,
      )
    }
    throw error
  }
}

/** The check speaks of the temporary copy; the user knows the backup. */
function explainAs<R>(backup: string, temporary: string, check: () => R): R {
  try {
    return check()
  } catch (error) {
    if (error instanceof StartupError) throw new StartupError('databaseUnusable', error.message.replaceAll(temporary, backup), error)
    throw error
  }
}

function missingKeyWarnings({ key_ids }: BackupContent, { backup, configuredKeys }: RestoreRequest, database: string): string[] {
  const files = [backupKeyFile(backup), keyFileOf(database)].filter((path) => existsSync(path))
  const kept = files.flatMap((path) => readFileSync(path, 'utf8').split('\n'))
  const known = keyIdsOf([...kept, ...configuredKeys])
  const missing = key_ids.filter((id) => !known.includes(id))
  if (missing.length === 0) return []
  return [
    `Encryption key ${missing.join(', ')} of the block documents was not found. Put the key file next to the backup as ${backupKeyFile(backup)} and restore again, or set MILLRACE_SERVER_ENCRYPTION_KEY.`,
  ]
}

/** Returns the path of the former database, which stays complete whatever happens in between. */
function replaceDatabase(database: string, restored: string, keyFile: string, previous: string): string | null {
  const hadDatabase = existsSync(database)
  if (hadDatabase) {
    linkOrCopy(database, previous)
    if (existsSync(keyFileOf(database))) linkOrCopy(keyFileOf(database), keyFileOf(previous))
    // The log of a server that was killed belongs to the former database. SQLite must not apply it to the new one.
    for (const ending of ['-wal', '-shm', '-journal']) moveIfPresent(`${database}${ending}`, `${previous}${ending}`)
  }
  if (existsSync(keyFile)) restoreKeys(keyFile, keyFileOf(database), `${restored}.key`)
  renameSync(restored, database)
  flushToDisk(dirname(database))
  return hadDatabase ? previous : null
}

/** The keys of the backup come first. The former keys stay, so that an interruption leaves no database without its key. */
function restoreKeys(from: string, to: string, temporary: string): void {
  const keys = [from, to].flatMap((path) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [])).filter((key) => key.trim() !== '')
  writeFileSync(temporary, `${[...new Set(keys)].join('\n')}\n`, { mode: backupFileMode, flush: true })
  renameSync(temporary, to)
}

/** The check reports a damaged backup. */
function ignoreDamage(change: () => void): void {
  try {
    change()
  } catch (error) {
    if (resultCode(error) === undefined) throw error
  }
}

function moveIfPresent(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to)
}

/** A second name costs no space. Some file systems have no hard links. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new StartupError('failed', `${to} exists already. Move it away first.`, error)
    copyFileSync(from, to)
  }
}
