import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { readSecretFile } from '../read-input.ts'

interface AdoptFlags {
  readonly database?: string
  readonly oldKeyFile?: string
  readonly resume?: boolean
}

export function adoptCommand(command: Command, cli: Cli): void {
  command
    .usage('SOURCE [options]')
    .description(
      'Copies the database of a Prefect 3 server: flows, deployments, runs, logs, blocks and everything else. The source is only read. docs/adopt.md describes it.',
    )
    .argument('<SOURCE>', 'SQLite file or postgres:// URL of the Prefect server')
    .option('--database <url>', 'database to copy into (default: MILLRACE_DATABASE_URL or sqlite:~/.millrace/millrace.db)')
    .option('--old-key-file <path>', 'file with the encryption key of the source, - for stdin (default: PREFECT_SERVER_ENCRYPTION_KEY)')
    .option('--resume', 'continue an interrupted copy')
    .action(async (source: string, { oldKeyFile, resume = false, ...options }: AdoptFlags) => {
      const { env } = cli.io
      const environmentKey = env.PREFECT_SERVER_ENCRYPTION_KEY || env.ORION_ENCRYPTION_KEY || undefined
      const oldKey = oldKeyFile === undefined ? environmentKey : await readSecretFile(cli.io, oldKeyFile)
      const { adoptSource } = await import('../local/adopt-source.ts')
      await adoptSource(cli, source, { ...options, resume, oldKey })
    })
  withExamples(
    command,
    ['adopt ~/.prefect/prefect.db', 'into ~/.millrace/millrace.db'],
    ['adopt postgres://user@db/prefect --database postgres://user@db/millrace'],
    ['adopt ~/.prefect/prefect.db --resume', 'after an interruption'],
  )
}
