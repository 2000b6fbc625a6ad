import { liftRetentionHold } from '@millrace/server/adopt/adoption-store.ts'
import { readArguments } from './arguments.ts'
import { withDatabase } from './with-database.ts'

/** `millrace retention include-adopted`. Running servers (PostgreSQL only) apply it with their next retention pass. */
export async function includeAdopted(argv: readonly string[]): Promise<number> {
  const { options } = readArguments(argv, { options: ['database'] })
  const lifted = await withDatabase(options.get('database'), ({ context }) => context.writeQueue.submit(liftRetentionHold))
  console.log(lifted ? 'Retention now applies to adopted data.' : 'Retention already applies to all data.')
  return 0
}
