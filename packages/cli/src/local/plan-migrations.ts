import { readDatabase } from '@millrace/server/app.ts'
import { databaseTarget } from '@millrace/server/config/database-url.ts'
import { type MigrationLock, type PlannedMigration, planMigrations } from '@millrace/server/storage/migration-plan.ts'
import { postgres } from '@millrace/server/storage/postgres/dialect.ts'
import { sqlite } from '@millrace/server/storage/sqlite/dialect.ts'
import type { Cli } from '../cli.ts'
import { formatNumber } from '../output/number-text.ts'
import type { Column } from '../output/table.ts'
import { databaseConfig } from './with-database.ts'

type PlannedRow = PlannedMigration['statements'][number] & { readonly migration: string }

const lockTexts: Readonly<Record<MigrationLock, string>> = { none: 'none', short: 'under 1 s', writes: 'writes wait', all: 'reads and writes wait' }

const columns: readonly Column<PlannedRow>[] = [
  { title: 'MIGRATION', value: ({ migration }) => migration },
  { title: 'STATEMENT', value: ({ statement, isOptional }) => shorten(statement) + (isOptional ? ' (optional)' : '') },
  { title: 'TABLE', value: ({ table }) => table },
  { title: 'ROWS', value: ({ table, rows }) => (table === null ? null : formatNumber(rows)), isNumber: true },
  { title: 'LOCK', value: ({ lock }) => lockTexts[lock] },
  { title: 'TIME', value: ({ seconds }) => durationText(seconds), isNumber: true },
]

/** Shows what the pending migrations of a database will cost, also beside a running server. */
export async function showMigrationPlan(cli: Cli, url: string | undefined): Promise<void> {
  const config = databaseConfig(cli, url)
  const dialect = databaseTarget(config.database.url).dialect === 'sqlite' ? sqlite : postgres
  const options = { config, onWait: (message: string) => cli.output.note(message) }
  const plan = await readDatabase(options, (pool) => planMigrations(dialect, pool?.reads))
  if (cli.output.isStructured) return cli.output.data({ migrations: plan })
  if (plan.length === 0) return cli.output.text('The database schema is up to date.')
  const rows = plan.flatMap(({ name, statements }) => statements.map((statement) => ({ ...statement, migration: name })))
  await cli.output.list(rows, columns, 'The pending migrations have no statements.')
  cli.output.text(`\n${summary(rows, dialect.isShared)}`)
}

function summary(rows: readonly PlannedRow[], isShared: boolean): string {
  const seconds = rows.reduce((sum, row) => sum + row.seconds, 0)
  const total = `The migrations take about ${durationText(seconds) ?? '0 s'}.`
  if (!isShared) return `${total} The server on this file has to be stopped meanwhile.`
  const locking = rows.filter(({ lock }) => lock === 'writes' || lock === 'all')
  if (locking.length === 0) return `${total} Other servers can use the database meanwhile.`
  const longest = Math.max(...locking.map((row) => row.seconds))
  return `${total} Other servers wait for up to ${durationText(longest)}.`
}

const statementLength = 70

const shorten = (statement: string): string => (statement.length <= statementLength ? statement : `${statement.slice(0, statementLength - 1)}…`)

function durationText(seconds: number): string | null {
  if (seconds === 0) return null
  if (seconds < 1) return 'under 1 s'
  return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
}
