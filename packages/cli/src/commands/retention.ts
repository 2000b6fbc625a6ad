import type { RetentionReport } from '@millrace/contracts/retention.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { ageColumn } from '../output/columns.ts'
import { formatBytes, formatNumber } from '../output/number-text.ts'
import type { Column } from '../output/table.ts'

type Kind = RetentionReport['kinds'][number]

const columns: readonly Column<Kind>[] = [
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'KEPT FOR', value: ({ retention_days }) => (retention_days === null ? 'unlimited' : `${retention_days} days`) },
  ageColumn('OLDEST', ({ oldest }) => oldest),
  { title: 'ROWS', value: ({ rows }) => formatNumber(rows), isNumber: true },
  { title: 'SIZE', value: ({ bytes }) => bytes && formatBytes(bytes), isNumber: true },
  { title: 'REMOVED', value: ({ trimmed }) => formatNumber(trimmed), isNumber: true },
  ageColumn('LAST PASS', ({ last_run }) => last_run),
]

export function retentionCommands(group: Command, cli: Cli): void {
  const show = group
    .command('show')
    .summary('Show how long data is kept, how much there is and how much was removed')
    .action(async () => {
      const report = await cli.client.server.retention()
      if (cli.output.isStructured) return cli.output.data(report)
      await cli.output.list(report.kinds, columns, '')
      cli.output.text(`\nThe database has ${formatBytes(report.database_bytes)}.`)
      if (report.adopted_until !== null) {
        cli.output.text('Adopted data is not removed. `millrace retention include-adopted` applies retention to it.')
      }
    })
  withExamples(show, ['retention show'], ['retention show -o json'])

  const include = group
    .command('include-adopted')
    .summary('Apply retention to adopted data too')
    .description('Applies retention to data of `millrace adopt` too. Stop a server on SQLite first.')
    .option('--database <url>', 'database (default: MILLRACE_DATABASE_URL or sqlite:~/.millrace/millrace.db)')
    .action(async ({ database }: { database?: string }) => {
      const { includeAdopted } = await import('../local/include-adopted.ts')
      await includeAdopted(cli, database)
    })
  withExamples(include, ['retention include-adopted'], ['retention include-adopted --database postgres://user@db/millrace'])
}
