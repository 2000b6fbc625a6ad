import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import type { BackupFlags } from '../local-interface.ts'
import { parsePositive } from '../option-values.ts'

export function backupCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Saves the database while servers run, and checks the copy. On SQLite the backup is a database file with its key file; on PostgreSQL it is an archive of pg_dump. docs/backup.md describes it.',
    )
    .option(
      '--database <url>',
      'database to save (default: that of the server of --server, else MILLRACE_DATABASE_URL or sqlite:~/.millrace/millrace.db)',
    )
    .option('--file <path>', 'file to write; must not exist')
    .option('--dir <path>', 'folder to write to, with a name that contains the time (default: backups/ next to the SQLite file)')
    .option('--compress', 'compress a SQLite backup with Zstandard; a --file that ends with .zst is compressed too')
    .option('--check', 'also compare each index with its table, which takes longer')
    .option('--keep <n>', 'remove all but the newest backups of this database in the folder', parsePositive)
    .option('--no-key', 'leave out the key file of a SQLite database, to keep it in another place')
    .action(async (flags: BackupFlags) => {
      if (flags.file !== undefined && flags.dir !== undefined) throw new UsageError('Give either --file or --dir.')
      if (flags.file !== undefined && flags.keep !== undefined) throw new UsageError('--keep needs a folder: use --dir instead of --file.')
      const { backUp } = await import('../local/back-up.ts')
      await backUp(cli, flags)
    })
  withExamples(
    command,
    ['backup'],
    ['backup --dir /backups --compress --keep 7', 'for cron'],
    ['backup --database postgres://user@db/millrace --file millrace.dump', 'with pg_dump'],
  )
}
