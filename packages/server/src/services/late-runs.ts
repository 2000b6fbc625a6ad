import { type MarkedLate, markLate, type OverdueCursor, overdueStart } from '../domains/flow-runs/mark-late.ts'
import { addSeconds } from '../lib/time.ts'
import type { Service } from './service.ts'

/** Marked in one transaction at most, so that nobody waits long behind it. */
const batchSize = 400

/**
 * Marks runs that nobody picked up in time as Late, so that queues and automations can see them; of a deployment that has new runs
 * cancelled while it is full, cancels them instead. Only runs in a state called Scheduled are looked at: Late is said once, and a run
 * that awaits a retry or a slot is late on purpose.
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
      const batch: MarkedLate = await context.writeQueue.submit(markLate(context, horizon, cursor, batchSize))
      marked += batch.marked
      cursor = batch.next
    }
    return { marked }
  },
}
