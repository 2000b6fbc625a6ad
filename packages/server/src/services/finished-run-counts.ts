import { foldFinishedRuns, hasChangesToFold, vacuumChanges } from '../storage/finished-run-counts.ts'
import { perServer } from '../storage/server-context.ts'
import { type Service, writeInBatches } from './service.ts'

const everySeconds = 3

/** Changes per transaction: about ten milliseconds. */
const batchSize = 5000

/** Deleted rows that counts may read. A vacuum takes milliseconds but commits, so it does not follow every few changes. */
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
    if (!hasChangesToFold(context.reads)) return {}
    const unvacuumed = sinceVacuum(context)
    unvacuumed.rows += await writeInBatches(context, signal, batchSize, foldFinishedRuns(batchSize))
    if (unvacuumed.rows >= vacuumEveryRows) {
      unvacuumed.rows = 0
      await vacuumChanges(context.reads)
    }
    return {}
  },
}
