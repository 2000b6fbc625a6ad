import { liftRetentionHold } from '@millrace/server/adopt/adoption-store.ts'
import { readArguments } from './arguments.ts'
import { withDatabase } from './with-database.ts'

/** Servers that run meanwhile, which only PostgreSQL allows, notice it with their next pass. */
export async function includeAdopted(argv: readonly string[]): Promise<number> {
  const { options: texts } = readArguments(argv, { options: ['database'], positionals: 0 })
  const lifted = await withDatabase(texts.get('database'), ({ context }) => context.writeQueue.submit(liftRetentionHold))
  console.log(
    lifted ? 'What was taken over is now kept as long as everything else, and no longer.' : 'Nothing that was taken over is spared: nothing to do.',
  )
  return 0
}
