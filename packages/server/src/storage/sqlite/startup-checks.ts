import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { keyFileOf } from '../../config/database-url.ts'
import { errorCode, StartupError } from '../../lib/startup-error.ts'
import { rejectForeignDatabase } from '../foreign-database.ts'

/** The write-ahead log, next to the target of a symbolic link. */
export const walPath = (file: string): string => `${existsSync(file) ? realpathSync(file) : file}-wal`

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/**
 * A key file or a write-ahead log without its database means that the database was lost or not copied along. Continuing would start an empty
 * server, and SQLite would delete the log.
 */
export function rejectLostDatabase(file: string): void {
  if (bytesOf(file) > 0) return
  const left = [walPath(file), keyFileOf(file)].filter((path) => bytesOf(path) > 0)
  if (left.length === 0) return
  const what = existsSync(file) ? 'is empty' : 'is missing'
  throw new StartupError(
    'databaseUnusable',
    `The database file ${file} ${what}, but ${left.join(' and ')} still ${left.length === 1 ? 'exists' : 'exist'}. Restore the database file from a backup, or move ${left.length === 1 ? 'that file' : 'those files'} away to start with an empty database.`,
  )
}

/** Runs before any change to the file, because the file may belong to another program or lack its data. */
export function checkTables(database: DatabaseSync, file: string): void {
  const tables = database.prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name").all()
  const names = tables.map(({ name }) => String(name))
  if (names.length === 0 && bytesOf(keyFileOf(file)) > 0) {
    throw new StartupError(
      'databaseUnusable',
      `The database file ${file} has no tables, but its key file ${keyFileOf(file)} exists. Restore the database file from a backup, or move the key file away to start with an empty database.`,
    )
  }
  rejectForeignDatabase(names, file, file)
}

/**
 * Whether the file was copied from a running server without its write-ahead log, so that the latest changes are missing.
 *
 * A running server sets `user_version` to the schema version of the file, and to 0 at a clean shutdown. A file with that mark and without a log was
 * copied alone, or another program merged its log after a crash. Complete copies made with `.backup` or `VACUUM INTO` have a new schema version, so
 * they do not match.
 */
export function isLogMissing(database: DatabaseSync, hadLog: boolean): boolean {
  if (hadLog) return false
  const mark = readPragma(database, 'user_version')
  return mark !== 0 && mark === readPragma(database, 'schema_version')
}

/** Marks the file as used by a running server: commits may be in its log only. Takes effect with the next checkpoint. */
export const markInOperation = (database: DatabaseSync): void => database.exec(`pragma user_version = ${readPragma(database, 'schema_version')}`)

export const markClosed = (database: DatabaseSync): void => database.exec('pragma user_version = 0')

const readPragma = (database: DatabaseSync, name: 'user_version' | 'schema_version'): number =>
  Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0])

/** Explains why a file cannot be opened or read. Undefined for an error that the file did not cause. */
export function explainFileError(error: unknown, file: string): StartupError | undefined {
  if (error instanceof StartupError) return error
  const reason = resultCode(error)
  const unusable = (message: string) => new StartupError('databaseUnusable', message, error)
  const chooseAnother = 'or choose another file with --database'
  switch (reason ?? errorCode(error)) {
    case sqliteCodes.notADatabase:
      return unusable(`${file} is not a SQLite database. Restore it from a backup, ${chooseAnother}.`)
    case sqliteCodes.corrupt:
      return unusable(
        `The database file ${file} is damaged (${reasonOf(error)}). Restore it from a backup, or save what can be read with \`sqlite3 ${file} .recover\`.`,
      )
    case sqliteCodes.full:
    case 'ENOSPC':
    case 'EDQUOT':
      return unusable(`The disk of the database file ${file} is full. Free some space, ${chooseAnother}.`)
    case sqliteCodes.ioError:
    case 'EIO':
      return unusable(`The database file ${file} cannot be read or written (${reasonOf(error)}). Check the disk, ${chooseAnother}.`)
    case sqliteCodes.busy:
      return new StartupError('databaseInUse', `The database file ${file} is locked by another program. Close that program first.`, error)
    case sqliteCodes.readOnly:
    case 'EROFS':
      return unusable(
        `The database file ${file} cannot be written: the file, its folder or the disk is read-only for this user. Change that, ${chooseAnother}.`,
      )
    case sqliteCodes.cannotOpen:
      if (isFolder(file)) return unusable(`${file} is a folder, not a database file. Name a file in it with --database.`)
      return unusable(
        `The database file ${file} cannot be opened. Check that this user may read and write the file and its folder, ${chooseAnother}.`,
      )
    case 'EACCES':
    case 'EPERM':
      return unusable(`This user may not open the database file ${file} or write to its folder. Change the permissions, ${chooseAnother}.`)
    case 'ENOTDIR':
    case 'EEXIST':
      return unusable(`The folder ${dirname(file)} of the database file cannot be created: a file is in its place. Move it away, ${chooseAnother}.`)
    default:
      return undefined
  }
}

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory()
  } catch {
    return false
  }
}

function reasonOf(error: unknown): string {
  const { errstr, cause, message } = error as { errstr?: string; cause?: unknown; message?: string }
  return errstr ?? (cause === undefined ? (message ?? String(error)) : reasonOf(cause))
}

/** The handled primary result codes of SQLite (https://sqlite.org/rescode.html). */
export const sqliteCodes = { busy: 5, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const

/** The primary result code of an error of `node:sqlite` or of its cause. */
export function resultCode(error: unknown): number | undefined {
  const { errcode, cause } = (error ?? {}) as { errcode?: unknown; cause?: unknown }
  if (typeof errcode === 'number') return errcode & 0xff
  return cause === undefined ? undefined : resultCode(cause)
}
