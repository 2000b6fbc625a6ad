import { idMin, type ReconcileResult, reconcileTaskRuns } from '../domains/task-runs/reconcile.ts'
import { addSeconds } from '../lib/time.ts'
import type { Service } from './service.ts'

const everySeconds = 60

/** Events of a client that lost its connection come when it has found it again: until then its task runs are not given up. */
const graceSeconds = 600

/** Ended in one transaction at most, so that nobody waits long behind it. */
const batchSize = 200

/**
 * Ends task runs that nobody will tell the end of: their flow run ended long ago, and nothing was heard of them since before that. What clients
 * tell of task runs is recorded when it comes in; this is for what never came. May end a run whose client tells of it later all the same: then
 * what the client says stands.
 * Settings: none; looks every minute, gives up after ten. Reports: ended.
 */
export const taskRunReconciler: Service = {
  name: 'task-run-reconciler',
  enabled: (config) => config.services.enabled,
  everySeconds: () => everySeconds,
  async runOnce(context, signal) {
    const endedBefore = addSeconds(context.clock.now(), -graceSeconds)
    let ended = 0
    for (let after: string | undefined = idMin; after && !signal.aborted; ) {
      const done: ReconcileResult = await context.writeQueue.submit(reconcileTaskRuns(context, endedBefore, after, batchSize))
      ended += done.ended
      after = done.next
    }
    return { ended }
  },
}
