import { liftRetentionHold } from '@millrace/server/adopt/adoption-store.ts'
import type { Cli } from '../cli.ts'
import { withDatabase } from './with-database.ts'

/** Running servers (PostgreSQL only) apply it with their next retention pass. */
export async function includeAdopted(cli: Cli, database: string | undefined): Promise<void> {
  const changed = await withDatabase(cli, database, ({ context }) => context.commands.submit(liftRetentionHold))
  await cli.output.done(changed ? 'Retention now applies to adopted data.' : 'Retention already applies to all data.', { changed })
}
