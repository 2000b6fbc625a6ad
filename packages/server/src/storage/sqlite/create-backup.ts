import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { keyFileOf } from '../../config/database-url.ts'
import { deriveKey } from '../../lib/encryption.ts'
import { errorCode, StartupError } from '../../lib/startup-error.ts'
import { monotonicSeconds } from '../../lib/time.ts'
import { type BackupContent, checkBackup } from './backup-check.ts'
import { type CopyOptions, copyDatabase } from './backup-copy.ts'
import { backupFileMode, backupKeyFile, compressedEnding, compressFile, flushToDisk, removeOldBackups, removeUnfinished } from './backup-files.ts'
import { walPath } from './startup-checks.ts'

export interface BackupRequest {
  /** Path of the database file. A server may use it. */
  readonly database: string
  /** Path of the backup. It is compressed if it ends with `.zst`. */
  readonly target: string
  /** Whether the check also compares each index with its table. */
  readonly full: boolean
  /** Whether the key file of the database is copied too. */
  readonly includeKey: boolean
  /** The keys of `server.encryption_key`. They are not part of the backup. */
  readonly configuredKeys: readonly string[]
  /** Backups of this database to keep in the folder; null keeps all. */
  readonly keep: number | null
}

export interface BackupResult extends BackupContent {
  readonly file: string
  readonly bytes: number
  readonly key_file: string | null
  readonly seconds: number
  /** Older backups that were removed. */
  readonly removed: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Saves a database beside a running server. The backup appears under its name when it is complete, checked and on the disk; a failure leaves nothing
 * behind. Throws a `StartupError` if the database cannot be read, or the copy is damaged.
 */
export async function createBackup(request: BackupRequest, options: CopyOptions = {}): Promise<BackupResult> {
  const { database, target } = request
  const startedAt = monotonicSeconds()
  const folder = dirname(target)
  if (!existsSync(database)) throw new StartupError('databaseUnusable', `There is no database file ${database}. Name one with --database.`)
  if (existsSync(target)) throw new StartupError('failed', `${target} exists already. Choose another name.`)
  const temporary = `${target}.${process.pid}.tmp`
  const keyTarget = backupKeyFile(target)
  const keyTemporary = `${keyTarget}.${process.pid}.tmp`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    removeUnfinished(folder, database)
    rejectFullDisk(folder, database)
    // SQLite keeps the mode of an existing file.
    closeSync(openSync(temporary, 'wx', backupFileMode))
    await copyDatabase(database, temporary, options)
    const content = checkBackup(temporary, { full: request.full })
    const hasKey = request.includeKey && copyKey(keyFileOf(database), keyTemporary)
    const warnings = describeKeys(content, request, hasKey ? keyTemporary : undefined)
    const finished = target.endsWith(compressedEnding) ? `${temporary}${compressedEnding}` : temporary
    if (finished !== temporary) {
      await compressFile(temporary, finished)
      rmSync(temporary)
    }
    flushToDisk(finished)
    // The database is last: a backup with its name is complete.
    if (hasKey) renameSync(keyTemporary, keyTarget)
    renameSync(finished, target)
    flushToDisk(folder)
    const removed = request.keep === null ? [] : removeOldBackups(folder, database, request.keep)
    return {
      ...content,
      file: target,
      bytes: statSync(target).size,
      key_file: hasKey ? keyTarget : null,
      seconds: monotonicSeconds() - startedAt,
      removed,
      warnings,
    }
  } catch (error) {
    throw explainTargetError(error, target) ?? error
  } finally {
    for (const file of [temporary, `${temporary}-journal`, `${temporary}${compressedEnding}`, keyTemporary]) if (existsSync(file)) rmSync(file)
  }
}

/** A full disk would also stop the server, if the backup is on the disk of the database. */
function rejectFullDisk(folder: string, database: string): void {
  const { bavail, bsize } = statfsSync(folder)
  const needed = statSync(database).size + (statSync(walPath(database), { throwIfNoEntry: false })?.size ?? 0)
  if (bavail * bsize > needed * 1.1) return
  throw new StartupError(
    'failed',
    `The disk of ${folder} has ${megabytes(bavail * bsize)} MB left, and the database has ${megabytes(needed)} MB. Free some space, or choose another folder.`,
  )
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e6)

/** Returns false if the database has no key file. */
function copyKey(keyFile: string, target: string): boolean {
  if (!existsSync(keyFile)) return false
  writeFileSync(target, readFileSync(keyFile), { mode: backupFileMode, flag: 'wx', flush: true })
  return true
}

/** Says which keys a restored server will need in addition. */
function describeKeys({ key_ids }: BackupContent, { configuredKeys, includeKey, database }: BackupRequest, keyFile: string | undefined): string[] {
  const included = keyFile === undefined ? [] : keyIdsOf(readFileSync(keyFile, 'utf8').split('\n'))
  const missing = key_ids.filter((id) => !included.includes(id))
  if (missing.length === 0) return []
  const configured = keyIdsOf(configuredKeys)
  if (missing.every((id) => configured.includes(id))) {
    return ['The block documents need the key of MILLRACE_SERVER_ENCRYPTION_KEY, which is not in the backup. Keep it in another safe place.']
  }
  if (!includeKey) return [`The block documents need the key file ${keyFileOf(database)}, which is not in the backup. Keep it in another safe place.`]
  return [
    `The block documents need encryption key ${missing.join(', ')}, which this command cannot find. Restored block documents will be unreadable.`,
  ]
}

export const keyIdsOf = (keys: readonly string[]): string[] => keys.filter((key) => key.trim() !== '').map((key) => deriveKey(key).id)

function explainTargetError(error: unknown, target: string): StartupError | undefined {
  const code = errorCode(error)
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StartupError('failed', `This user may not write ${target} (${code}). Change the permissions, or choose another folder.`, error)
    case 'ENOSPC':
    case 'EDQUOT':
      return new StartupError('failed', `The disk of ${target} is full. Free some space, or choose another folder.`, error)
    case 'ENOTDIR':
    case 'EEXIST':
      return new StartupError('failed', `${target} cannot be written: a file is in the place of its folder. Choose another folder.`, error)
    default:
      return undefined
  }
}
