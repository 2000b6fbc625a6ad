import { foldFinishedRuns, hasChangesToFold, vacuumChanges } from '../storage/finished-run-counts.ts'
import { perServer } from '../storage/server-context.ts'
import type { Service } from './service.ts'

const everySeconds = 3

/** Changes per transaction: about ten milliseconds. */
const batchSize = 5000

/** Counts read deleted rows until a vacuum, which takes milliseconds but commits, so it does not follow every few changes. */
const vacuumEveryRows = 2000

const sinceVacuum = perServer(() => ({ rows: 0 }))

/**
 * Adds the changes of the counts of finished runs to the totals. Counts read both, so a delay costs time but not correctness. With several
 * servers, one works at a time. Nothing to do on SQLite, where triggers change the totals.
 * Settings: services.enabled. Reports nothing, because it would log every pass.
 */
export const finishedRunCounts: Service = {
  name: 'finished-run-counts',
  enabled: (config) => config.services.enabled,
  everySeconds: () => everySeconds,
  async runOnce(context, signal) {
    const { reads, writeQueue } = context
    const unvacuumed = sinceVacuum(context)
    for (let more = hasChangesToFold(reads); more && !signal.aborted; ) {
      const folded = await writeQueue.submit(foldFinishedRuns(batchSize))
      more = folded === batchSize
      unvacuumed.rows += folded
      if (unvacuumed.rows < vacuumEveryRows) continue
      unvacuumed.rows = 0
      await vacuumChanges(reads)
    }
    return {}
  },
}
