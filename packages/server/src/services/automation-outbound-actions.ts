import { readClaimedBefore, readQueuedActions } from '../automations/action-queue.ts'
import { executeAction, failLostAction } from '../automations/execute-action.ts'
import { outboundActionsQueued } from '../automations/firing-buffer.ts'
import { addSeconds } from '../lib/time.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Service } from './service.ts'

/** Calls under way at once. A slow one holds up nobody while there are fewer. */
const concurrentCallsMax = 20
/** Longer than any call may take. */
const claimSeconds = 10 * 60

/**
 * Makes the calls of automations to the outside: webhooks and notifications. Each is claimed before it is made, and made once at most: when a server ends in
 * the middle, the action is told as failed ten minutes later.
 * Settings: automations.proactive_granularity_seconds (5), webhook_allow_private_urls (no), services.trigger_evaluator.enabled.
 * Reports: executed, failed, lost.
 */
export const automationOutboundActions: Service = {
  name: 'automation-outbound-actions',
  enabled: (config) => config.services.trigger_evaluator.enabled,
  everySeconds: (config) => config.automations.proactive_granularity_seconds,
  wakeOn: [outboundActionsQueued],
  async runOnce(context, signal) {
    const report = { executed: 0, failed: 0, lost: await failLostCalls(context) }
    const underWay = new Map<string, Promise<void>>()
    const broken: unknown[] = []
    // A call that takes long must not keep those that come meanwhile from being made.
    const news = topicSignal(context)
    try {
      while (!signal.aborted) {
        const rows = await readQueuedActions(context.reads, true, firstId, concurrentCallsMax)
        for (const row of rows) {
          if (underWay.size >= concurrentCallsMax || underWay.has(row.id)) continue
          const call = executeAction(context, row)
            .then((outcome) => {
              if (outcome !== 'gone') report[outcome] += 1
            })
            .catch((error: unknown) => broken.push(error))
            .then(() => {
              underWay.delete(row.id)
            })
          underWay.set(row.id, call)
        }
        if (underWay.size === 0 || broken.length > 0) break
        await Promise.race([...underWay.values(), news.next()])
      }
      await Promise.all(underWay.values())
    } finally {
      news.stop()
    }
    if (broken.length > 0) throw broken[0]
    return report
  },
}

const firstId = '00000000-0000-0000-0000-000000000000'

async function failLostCalls(context: ServerContext): Promise<number> {
  const rows = await readClaimedBefore(context.reads, addSeconds(context.clock.now(), -claimSeconds), concurrentCallsMax)
  const outcomes = await Promise.all(rows.map((row) => failLostAction(context, row)))
  return outcomes.filter((outcome) => outcome !== 'gone').length
}

function topicSignal({ bus }: ServerContext): { next(): Promise<void>; stop(): void } {
  let tell: (() => void) | undefined
  const stop = bus.on(outboundActionsQueued, () => tell?.())
  return {
    next: () =>
      new Promise((resolve) => {
        tell = resolve
      }),
    stop,
  }
}
