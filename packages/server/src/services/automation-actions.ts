import { type QueuedAction, readQueuedActions } from '../automations/action-queue.ts'
import { executeAction } from '../automations/execute-action.ts'
import { actionsQueued } from '../automations/firing-buffer.ts'
import type { Service } from './service.ts'

/** Taken together at most: they share transactions, and nobody should wait long behind one. */
const batchSize = 20

/**
 * Takes the actions of automations that have fired. Any number of servers may do so: an action leaves the list in the transaction that takes it. One
 * that breaks is passed by, and tried again in the next pass.
 * Settings: automations.proactive_granularity_seconds (5), services.trigger_evaluator.enabled. Reports: executed, failed.
 */
export const automationActions: Service = {
  name: 'automation-actions',
  enabled: (config) => config.services.trigger_evaluator.enabled,
  everySeconds: (config) => config.automations.proactive_granularity_seconds,
  wakeOn: [actionsQueued],
  async runOnce(context, signal) {
    const report = { executed: 0, failed: 0 }
    const broken: unknown[] = []
    for (let after = firstId; !signal.aborted; ) {
      const rows = await readQueuedActions(context.reads, false, after, batchSize)
      // Those of one firing in their order; firings have none among them.
      const inOrder = async (some: readonly QueuedAction[]) => {
        for (const row of some) {
          const outcome = await executeAction(context, row).catch((error: unknown) => {
            broken.push(error)
            return 'gone' as const
          })
          if (outcome !== 'gone') report[outcome] += 1
        }
      }
      await Promise.all([...Map.groupBy(rows, ({ firing_id }) => firing_id).values()].map(inOrder))
      const last = rows.at(-1)
      if (!last || rows.length < batchSize) break
      after = last.id
    }
    if (broken.length > 0) throw broken[0]
    return report
  },
}

/** Below every id. */
const firstId = '00000000-0000-0000-0000-000000000000'
