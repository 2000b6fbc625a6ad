import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import type { DoctorFlags } from '../local-interface.ts'

export function doctorCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Checks the database and the running server: slots, states and their events, orphaned rows, indexes, clocks, disk, retention, permissions. The exit code is 1 if something needs attention. docs/doctor.md lists the checks.',
    )
    .option(
      '--database <url>',
      'database to check (default: that of the server of --server, else MILLRACE_DATABASE_URL or sqlite:~/.millrace/millrace.db)',
    )
    .option('--full', 'check all rows instead of the newest, and every index')
    .option('--repair', 'repair what can be repaired, one question each; stop a server on SQLite first')
    .option('-y, --yes', 'repair without questions')
    .action(async (flags: DoctorFlags) => {
      if (flags.yes && !flags.repair) throw new UsageError('--yes needs --repair.')
      const { diagnose } = await import('../local/diagnose.ts')
      await diagnose(cli, flags)
    })
  withExamples(command, ['doctor'], ['doctor --full -o json'], ['doctor --repair --yes --database postgres://user@db/millrace'])
}
