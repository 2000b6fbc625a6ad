import { migrateDatabase, readDatabase } from '@millrace/server/app.ts'
import { databaseTarget } from '@millrace/server/config/database-url.ts'
import { listPendingMigrations, migrationsOf } from '@millrace/server/storage/migrate.ts'
import type { Cli } from '../cli.ts'
import { databaseConfig, lockHolderName } from './with-database.ts'

export async function migrateSchema(cli: Cli, url: string | undefined, isDryRun: boolean): Promise<void> {
  const config = databaseConfig(cli, url)
  const options = { config, lockHolderName, onWait: (message: string) => cli.output.note(message) }
  if (!isDryRun) {
    const applied = await migrateDatabase(options)
    return cli.output.done(describe('Applied', applied), { applied })
  }
  const { dialect } = databaseTarget(config.database.url)
  const pending = await readDatabase(options, async (pool) => (pool ? listPendingMigrations(pool) : migrationsOf(dialect).map(({ name }) => name)))
  await cli.output.done(describe('Pending:', pending), { pending })
}

function describe(verb: string, names: readonly string[]): string {
  if (names.length === 0) return 'The database schema is up to date.'
  return `${verb} ${names.length} ${names.length === 1 ? 'migration' : 'migrations'}:\n${names.map((name) => `  ${name}`).join('\n')}`
}
