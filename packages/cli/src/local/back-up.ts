import { statSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import { databaseTarget } from '@millrace/server/config/database-url.ts'
import type { Config } from '@millrace/server/config.ts'
import { machineClock } from '@millrace/server/lib/time.ts'
import { type CopyProgress, serverDiskShare } from '@millrace/server/storage/sqlite/backup-copy.ts'
import { backupName, defaultBackupFolder } from '@millrace/server/storage/sqlite/backup-files.ts'
import { createBackup } from '@millrace/server/storage/sqlite/create-backup.ts'
import { walPath } from '@millrace/server/storage/sqlite/startup-checks.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../errors.ts'
import type { BackupFlags } from '../local-interface.ts'
import { formatBytes, formatNumber } from '../output/number-text.ts'
import { formatDuration } from '../output/time-text.ts'
import { chosenDatabase, shownUrl } from './chosen-database.ts'
import { dumpPostgres } from './dump-postgres.ts'

/** Saves the database of the settings, beside running servers. */
export async function backUp(cli: Cli, flags: BackupFlags): Promise<void> {
  const config = await chosenDatabase(cli, flags.database)
  const target = databaseTarget(config.database.url)
  if (target.dialect === 'postgres') return dumpPostgres(cli, config, flags)
  if (target.path === ':memory:') throw new UsageError('A database in memory has no file to save. Name another one with --database.')
  const database = resolve(target.path)
  // Only the process of this command, not one that calls it.
  if (cli.io.stdout === process.stdout) lowerPriority()
  const progress = copyProgress(cli)
  const result = await createBackup(
    {
      database,
      target: targetFile(database, flags),
      full: flags.check ?? false,
      includeKey: flags.key,
      configuredKeys: configuredKeys(config),
      keep: flags.keep ?? null,
    },
    { diskShare: isInUse(database) ? serverDiskShare : 1, onProgress: progress.update },
  ).finally(progress.end)
  for (const warning of result.warnings) cli.output.note(`Warning: ${warning}`)
  const { seconds, bytes, counts, migration, removed, key_file } = result
  const lines = [
    `Saved ${database} to ${result.file} (${formatBytes(bytes)}) in ${formatDuration(Math.ceil(seconds))}.`,
    `The copy was checked: migration ${migration}, ${formatNumber(counts.flow_run ?? 0)} flow runs, ${formatNumber(counts.task_run ?? 0)} task runs.`,
    ...(key_file === null ? [] : [`The encryption key is in ${key_file}.`]),
    ...(removed.length === 0 ? [] : [`Removed ${removed.length} older ${removed.length === 1 ? 'backup' : 'backups'}.`]),
  ]
  await cli.output.done(lines.join('\n'), { ...result, database: shownUrl(config.database.url) })
}

export const configuredKeys = ({ server }: Config): string[] => (server.encryption_key ?? '').split(',').filter((key) => key.trim() !== '')

function targetFile(database: string, { file, dir, compress = false }: BackupFlags): string {
  if (file !== undefined && !isFolder(file)) return resolve(compress && !file.endsWith('.zst') ? `${file}.zst` : file)
  return join(resolve(file ?? dir ?? defaultBackupFolder(database)), backupName(database, machineClock().wall(), compress))
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** A server that uses the file keeps a write-ahead log. Commands that only read leave an empty one. */
const isInUse = (database: string): boolean => (statSync(walPath(database), { throwIfNoEntry: false })?.size ?? 0) > 0

/** The server has priority. */
function lowerPriority(): void {
  try {
    setPriority(10)
  } catch {
    // The system may not allow it.
  }
}

interface ShownProgress {
  update(progress: CopyProgress): void
  end(): void
}

function copyProgress(cli: Cli): ShownProgress {
  let shown: ReturnType<Cli['progress']> | undefined
  let copied = 0
  return {
    update({ totalPages, remainingPages }) {
      shown ??= cli.progress({ unit: 'pages', total: totalPages })
      shown.advance('copied', totalPages - remainingPages - copied)
      copied = totalPages - remainingPages
    },
    end: () => shown?.end(),
  }
}
