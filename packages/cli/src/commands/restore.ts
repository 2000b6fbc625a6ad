import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import type { RestoreFlags } from '../local-interface.ts'

export function restoreCommand(command: Command, cli: Cli): void {
  command
    .usage('FILE [options]')
    .description(
      'Restores a backup of `millrace backup`. Stop the server first. The backup is checked before anything changes. On SQLite the former database stays beside the restored one; on PostgreSQL the database has to be empty.',
    )
    .argument('<FILE>', 'backup to restore')
    .option('--database <url>', 'database to restore into (default: MILLRACE_DATABASE_URL or sqlite:~/.millrace/millrace.db)')
    .option('--check', 'only check the backup; changes nothing, and a server may run')
    .option('-y, --yes', 'do not ask')
    .action(async (file: string, flags: RestoreFlags) => {
      const { restore } = await import('../local/restore.ts')
      await restore(cli, file, flags)
    })
  withExamples(
    command,
    ['restore backups/millrace-20260301T030000Z.db'],
    ['restore backups/millrace-20260301T030000Z.db.zst --check', 'changes nothing'],
    ['restore millrace.dump --database postgres://user@db/millrace', 'with pg_restore'],
  )
}
