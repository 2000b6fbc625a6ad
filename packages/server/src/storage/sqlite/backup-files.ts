import { closeSync, createReadStream, createWriteStream, fsyncSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { errorCode } from '../../lib/startup-error.ts'
import { formatTime, type Micros, parseTime } from '../../lib/time.ts'

/** Only the owner may read a backup: it contains parameters, logs and maybe a key. */
export const backupFileMode = 0o600

export const compressedEnding = '.zst'

/** A backup in a folder, named after its database and time. */
export interface BackupFile {
  readonly path: string
  readonly at: Micros
}

/** `millrace.db` is saved as `millrace-20260301T030000Z.db`. */
export function backupName(database: string, at: Micros, compress: boolean): string {
  const stamp = formatTime(at).replaceAll(/[-:]|\.\d+/g, '')
  return `${databaseName(database)}-${stamp}.db${compress ? compressedEnding : ''}`
}

/** The key file of a backup. It is the same for a compressed one. */
export const backupKeyFile = (file: string): string => `${file.endsWith(compressedEnding) ? file.slice(0, -compressedEnding.length) : file}.key`

/** The folder of backups next to a database. */
export const defaultBackupFolder = (database: string): string => join(dirname(database), 'backups')

/** The backups of a database in a folder, the newest first. An absent folder has none. */
export function listBackups(folder: string, database: string): BackupFile[] {
  const pattern = new RegExp(`^${RegExp.escape(databaseName(database))}-(\\d{4})(\\d\\d)(\\d\\d)T(\\d\\d)(\\d\\d)(\\d\\d)Z\\.db(?:\\.zst)?$`)
  return listNames(folder)
    .flatMap((name) => {
      const [, year, month, day, hour, minute, second] = pattern.exec(name) ?? []
      const at = parseTime(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
      return at === undefined ? [] : [{ path: join(folder, name), at }]
    })
    .sort((a, b) => b.at - a.at)
}

/** Removes all but the newest backups of a database, with their key files. Returns the removed ones. */
export function removeOldBackups(folder: string, database: string, keep: number): string[] {
  const removed = listBackups(folder, database)
    .slice(keep)
    .map(({ path }) => path)
  for (const path of removed) {
    rmSync(path, { force: true })
    rmSync(backupKeyFile(path), { force: true })
  }
  return removed
}

/** Removes the unfinished files of backups whose process was killed. */
export function removeUnfinished(folder: string, database: string): void {
  const pattern = new RegExp(`^${RegExp.escape(databaseName(database))}-\\S*\\.(\\d+)\\.tmp(?:-journal|\\.zst)?$`)
  for (const name of listNames(folder)) {
    const pid = Number(pattern.exec(name)?.[1] ?? 0)
    if (pid > 0 && pid !== process.pid && !isRunning(pid)) rmSync(join(folder, name), { force: true })
  }
}

/** Compresses a file. The result contains a checksum. */
export async function compressFile(file: string, target: string): Promise<void> {
  const params = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 }
  await pipeline(createReadStream(file), createZstdCompress({ params }), createWriteStream(target, { flags: 'wx', mode: backupFileMode }))
}

/** Decompresses a backup to another file. */
export async function decompressFile(file: string, target: string): Promise<void> {
  await pipeline(createReadStream(file), createZstdDecompress(), createWriteStream(target, { flags: 'wx', mode: backupFileMode }))
}

/** Writes a file, or the entries of a folder, to the disk. */
export function flushToDisk(path: string): void {
  const file = openSync(path, statSync(path).isDirectory() ? 'r' : 'r+')
  try {
    fsyncSync(file)
  } catch (error) {
    // Some systems cannot flush a folder.
    if (!['EINVAL', 'EPERM', 'EISDIR'].includes(errorCode(error))) throw error
  } finally {
    closeSync(file)
  }
}

const databaseName = (database: string): string => basename(database).replace(/\.db$/, '')

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // Writing to the folder reports the other two.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error))) return []
    throw error
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}
