import { StartupError } from '../lib/startup-error.ts'

/** The first table that Millrace creates in a database. */
export const migrationTable = 'millrace_migration'

/** Rejects a database with tables of another program, because a wrong setting could point there. */
export function rejectForeignDatabase(tables: readonly string[], database: string, source: string): void {
  const isOurs = tables.length === 0 || tables.includes(migrationTable)
  if (tables.includes('alembic_version') && (isOurs || tables.includes('flow_run'))) {
    throw new StartupError(
      'databaseUnusable',
      `The database ${database} belongs to a Prefect server. Choose another database with --database; \`millrace adopt ${source}\` copies everything from this one into it.`,
    )
  }
  if (isOurs) return
  const shown = tables.slice(0, 3).join(', ')
  throw new StartupError(
    'databaseUnusable',
    `The database ${database} belongs to another program: it has ${tables.length === 1 ? 'the table' : 'the tables'} ${shown}${tables.length > 3 ? ' and others' : ''}, but none of Millrace's. Choose an empty database with --database.`,
  )
}
