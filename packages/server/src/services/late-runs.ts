import { type MarkedLate, markLate, type OverdueCursor, overdueStart } from '../domains/flow-runs/mark-late.ts'
import { addSeconds } from '../lib/time.ts'
import type { Service } from './service.ts'

/** Runs per transaction. */
const batchSize = 400

/**
 * Marks runs as Late that no worker picked up in time, so that queues and automations can react. Cancels them instead when their deployment cancels new runs
 * at its concurrency limit. Considers only states with the name Scheduled: a run is marked once, and a run that awaits a retry or a slot is not late.
 * Settings: services.late_runs.every_seconds (5), after_seconds (15). Reports: marked.
 */
export const lateRuns: Service = {
  name: 'late-runs',
  enabled: (config) => config.services.late_runs.enabled,
  everySeconds: (config) => config.services.late_runs.every_seconds,
  async runOnce(context, signal) {
    const horizon = addSeconds(context.clock.now(), -context.config.services.late_runs.after_seconds)
    let marked = 0
    for (let cursor: OverdueCursor | undefined = overdueStart; cursor && !signal.aborted; ) {
      const batch: MarkedLate = await context.commands.submit(markLate(context, horizon, cursor, batchSize))
      marked += batch.marked
      cursor = batch.next
    }
    return { marked }
  },
}
