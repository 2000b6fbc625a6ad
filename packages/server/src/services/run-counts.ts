import { foldBatchSize, foldRunChanges, hasChangesToFold, vacuumChanges } from '../storage/run-counts.ts'
import { perServer } from '../storage/server-context.ts'
import type { Service } from './service.ts'

const everySeconds = 1

/** Counts read deleted rows until a vacuum, which takes milliseconds but commits, so it does not follow every few changes. */
const vacuumEveryRows = 2000

/** The first pass vacuums, because the changes of a recount may have left many empty pages. */
const sinceVacuum = perServer(() => ({ rows: vacuumEveryRows }))

/**
 * Adds the changes of the counts of runs to the totals and to the slots of histories. Reads use both, so a delay costs time but not correctness. With
 * several servers, one works at a time.
 * Settings: services.enabled. Reports nothing, because it would log every pass.
 */
export const runCounts: Service = {
  name: 'run-counts',
  enabled: (config) => config.services.enabled,
  everySeconds: () => everySeconds,
  async runOnce(context, signal) {
    const { reads, commands } = context
    const unvacuumed = sinceVacuum(context)
    const batchSize = foldBatchSize(reads)
    for (let more = await hasChangesToFold(reads); more && !signal.aborted; ) {
      const folded = await commands.submit(foldRunChanges(batchSize))
      more = folded === batchSize
      unvacuumed.rows += folded
      if (unvacuumed.rows < vacuumEveryRows) continue
      unvacuumed.rows = 0
      await vacuumChanges(reads)
    }
    return {}
  },
}
