import { resolve } from 'node:path'
import { databaseTarget } from '@millrace/server/config/database-url.ts'
import { machineClock } from '@millrace/server/lib/time.ts'
import { restoreBackup } from '@millrace/server/storage/sqlite/restore-backup.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../errors.ts'
import type { RestoreFlags } from '../local-interface.ts'
import { formatBytes, formatNumber } from '../output/number-text.ts'
import { configuredKeys } from './back-up.ts'
import { restorePostgres } from './restore-postgres.ts'
import { databaseConfig, lockHolderName } from './with-database.ts'

/** Replaces the database of the settings by a backup. */
export async function restore(cli: Cli, file: string, { database: url, check = false, yes }: RestoreFlags): Promise<void> {
  const config = databaseConfig(cli, url)
  const target = databaseTarget(config.database.url)
  if (target.dialect === 'postgres') return restorePostgres(cli, config, resolve(file), check)
  if (target.path === ':memory:') throw new UsageError('A backup cannot be restored into memory. Name a file with --database sqlite:PATH.')
  const database = resolve(target.path)
  const request = {
    backup: resolve(file),
    database,
    configuredKeys: configuredKeys(config),
    holder: { name: lockHolderName, now: machineClock().wall() },
  }
  if (!check) await cli.confirm(`Replace ${database} by ${request.backup}?`, yes)
  const result = await restoreBackup({ ...request, checkOnly: check })
  for (const warning of result.warnings) cli.output.note(`Warning: ${warning}`)
  const { migration, pending, counts, database_bytes, previous } = result
  const content = `migration ${migration}, ${formatNumber(counts.flow_run ?? 0)} flow runs, ${formatBytes(database_bytes)}`
  const lines = [
    check ? `The backup ${request.backup} can be restored: ${content}.` : `Restored ${request.database}: ${content}.`,
    ...(previous === null ? [] : [`The former database is ${previous}. Remove it when the server works.`]),
    ...(pending.length === 0 ? [] : [`The server will apply ${pending.length} migrations when it starts. \`millrace db plan\` shows their cost.`]),
  ]
  await cli.output.done(lines.join('\n'), result)
}
