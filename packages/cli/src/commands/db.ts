import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import type { DatabaseSize } from '../local-interface.ts'
import { ageColumn } from '../output/columns.ts'
import { formatBytes, formatNumber } from '../output/number-text.ts'
import type { Column } from '../output/table.ts'

const columns: readonly Column<DatabaseSize['tables'][number]>[] = [
  { title: 'TABLE', value: ({ name }) => name },
  { title: 'ROWS', value: ({ rows }) => formatNumber(rows), isNumber: true },
  { title: 'SIZE', value: ({ bytes }) => bytes && formatBytes(bytes), isNumber: true },
  ageColumn('OLDEST', ({ oldest }) => oldest),
]

export function dbCommands(group: Command, cli: Cli): void {
  const migrate = group
    .command('migrate')
    .summary('Migrate the database schema without starting a server')
    .description('Migrates the database schema without starting a server. Stop a server on SQLite first.')
    .option('--database <url>', 'database (default: MILLRACE_DATABASE_URL or sqlite:~/.millrace/millrace.db)')
    .option('--dry-run', 'only list the pending migrations')
    .action(async ({ database, dryRun = false }: { database?: string; dryRun?: boolean }) => {
      const { migrateSchema } = await import('../local/migrate-schema.ts')
      await migrateSchema(cli, database, dryRun)
    })
  withExamples(migrate, ['db migrate --dry-run'], ['db migrate --database postgres://user@db/millrace'])

  const plan = group
    .command('plan')
    .summary('Show what the pending migrations will cost')
    .description(
      'Shows the statements of the pending migrations, the tables they change with their numbers of rows, what waits for them, and estimated times. Changes nothing; a server may run.',
    )
    .option('--database <url>', 'database (default: MILLRACE_DATABASE_URL or sqlite:~/.millrace/millrace.db)')
    .action(async ({ database }: { database?: string }) => {
      const { showMigrationPlan } = await import('../local/plan-migrations.ts')
      await showMigrationPlan(cli, database)
    })
  withExamples(plan, ['db plan'], ['db plan --database postgres://user@db/millrace'])

  const size = group
    .command('size')
    .summary('Show the sizes of tables and their oldest rows')
    .description(
      'Shows the sizes of tables and their oldest rows. A running server reports events, logs and flow runs; with --database every table is measured, which takes seconds on a large SQLite file.',
    )
    .option('--database <url>', 'measure this database instead of asking the server')
    .action(async ({ database }: { database?: string }) => {
      const measured =
        database === undefined ? await reportedSize(cli) : await (await import('../local/measure-tables.ts')).measureTables(cli, database)
      if (cli.output.isStructured) return cli.output.data(measured)
      await cli.output.list(measured.tables, columns, 'No tables.')
      cli.output.text(`\nThe database has ${formatBytes(measured.database_bytes)}.`)
    })
  withExamples(size, ['db size'], ['db size --database sqlite:~/.millrace/millrace.db', 'every table'])
}

async function reportedSize({ client }: Cli): Promise<DatabaseSize> {
  const { database_bytes, kinds } = await client.server.retention()
  return { database_bytes, tables: kinds.map(({ kind, rows, bytes, oldest }) => ({ name: kind, rows, bytes, oldest })) }
}
