import { statement } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'

const vacuum = statement((dialect) => dialect.logMaintenance?.vacuum ?? '')
const dropEmptyPartitions = statement((dialect) => dialect.logMaintenance?.dropEmptyPartitions ?? '')
const hasPartitions = statement((dialect) => dialect.logMaintenance?.hasPartitions ?? '')

/**
 * Makes the space of moved rows usable again. Autovacuum looks once a minute, and a burst would double the table several times in between: a vacuum of the
 * short table takes milliseconds. Failures are left to autovacuum and to the next pass, such as those of a user who does not own the table.
 */
export async function maintainLog({ reads, writeQueue }: ServerContext): Promise<void> {
  if (!reads.dialect.logMaintenance) return
  try {
    await reads.all(vacuum)
    if (await reads.first(hasPartitions)) await writeQueue.submit((tx) => tx.first(dropEmptyPartitions))
  } catch (error) {
    if (reads.dialect.isUnavailable(error) && !reads.dialect.isTransient(error)) throw error
  }
}
