import { idMin, type ReconcileResult, reconcileTaskRuns } from '../domains/task-runs/reconcile.ts'
import { addSeconds } from '../lib/time.ts'
import type { Service } from './service.ts'

const everySeconds = 60

/** A client that lost its connection sends its events after it reconnects. Until then its task runs are left alone. */
const graceSeconds = 600

/** Task runs per transaction. */
const batchSize = 200

/**
 * Ends task runs whose final event never arrived: their flow run ended ten minutes ago, and no event of the task run has arrived since. If the client sends
 * the final event later, that event wins.
 * Settings: none; runs every minute. Reports: ended.
 */
export const taskRunReconciler: Service = {
  name: 'task-run-reconciler',
  enabled: (config) => config.services.enabled,
  everySeconds: () => everySeconds,
  async runOnce(context, signal) {
    const endedBefore = addSeconds(context.clock.now(), -graceSeconds)
    let ended = 0
    for (let after: string | undefined = idMin; after && !signal.aborted; ) {
      const batch: ReconcileResult = await context.commands.submit(reconcileTaskRuns(context, endedBefore, after, batchSize))
      ended += batch.ended
      after = batch.next
    }
    return { ended }
  },
}
