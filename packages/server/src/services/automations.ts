import { actionsQueued, outboundActionsQueued, type QueuedAction, readClaimedBefore, readQueuedActions } from '../automations/action-queue.ts'
import { evaluateStep } from '../automations/evaluate.ts'
import { executeAction, failLostAction } from '../automations/execute-action.ts'
import { addSeconds } from '../lib/time.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Service } from './service.ts'

/** Steps per pass. Automations that trigger each other must not keep a pass from ending. */
const stepsMax = 500

/**
 * Evaluates the triggers of automations for new events, and proactive triggers whose period is over. A durable cursor in the event log ensures that no event
 * is missed while no server runs. With several servers, one evaluates at a time. A proactive trigger fires late by up to one interval.
 * Settings: automations.proactive_granularity_seconds (5), expired_bucket_buffer_seconds (60); services.trigger_evaluator.enabled. Reports: fired.
 */
export const triggerEvaluator: Service = {
  name: 'trigger-evaluator',
  enabled: (config) => config.services.trigger_evaluator.enabled,
  everySeconds: (config) => config.automations.proactive_granularity_seconds,
  wakeOn: ['events'],
  async runOnce(context, signal) {
    let fired = 0
    for (let steps = 0; steps < stepsMax && !signal.aborted; steps += 1) {
      const step = await evaluateStep(context)
      fired += step.fired
      if (!step.more) break
    }
    return { fired }
  },
}

/** Actions read together. They share transactions, so a larger batch would delay other writes. */
const batchSize = 20
/** The lowest id. */
const idMin = '00000000-0000-0000-0000-000000000000'

/**
 * Executes the queued actions of automations that have fired. Any number of servers can do this at once: an action is deleted in the transaction that
 * executes it. An action that throws is skipped and retried in the next pass.
 * Settings: automations.proactive_granularity_seconds (5), services.trigger_evaluator.enabled. Reports: executed, failed.
 */
export const automationActions: Service = {
  name: 'automation-actions',
  enabled: (config) => config.services.trigger_evaluator.enabled,
  everySeconds: (config) => config.automations.proactive_granularity_seconds,
  wakeOn: [actionsQueued],
  async runOnce(context, signal) {
    const report = { executed: 0, failed: 0 }
    const errors: unknown[] = []
    for (let after = idMin; !signal.aborted; ) {
      const rows = await readQueuedActions(context.reads, false, after, batchSize)
      // The actions of one firing run in order; different firings run concurrently.
      const executeInOrder = async (actions: readonly QueuedAction[]) => {
        for (const row of actions) {
          const outcome = await executeAction(context, row).catch((error: unknown) => {
            errors.push(error)
            return 'gone' as const
          })
          if (outcome !== 'gone') report[outcome] += 1
        }
      }
      await Promise.all([...Map.groupBy(rows, ({ firing_id }) => firing_id).values()].map(executeInOrder))
      const last = rows.at(-1)
      if (!last || rows.length < batchSize) break
      after = last.id
    }
    if (errors.length > 0) throw errors[0]
    return report
  },
}

/** Calls in flight at once. */
const concurrentCallsMax = 20
/** Longer than any call can take. */
const claimSeconds = 10 * 60

/**
 * Executes the outbound actions of automations: webhooks and notifications. Each is claimed before the call and called at most once. When the server stops
 * during the call, the action is reported as failed ten minutes later.
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
    const inFlight = new Map<string, Promise<void>>()
    const errors: unknown[] = []
    // A slow call must not delay actions that are queued meanwhile.
    const queued = topicSignal(context)
    try {
      while (!signal.aborted) {
        const rows = await readQueuedActions(context.reads, true, idMin, concurrentCallsMax)
        for (const row of rows) {
          if (inFlight.size >= concurrentCallsMax || inFlight.has(row.id)) continue
          const call = executeAction(context, row)
            .then((outcome) => {
              if (outcome !== 'gone') report[outcome] += 1
            })
            .catch((error: unknown) => errors.push(error))
            .then(() => {
              inFlight.delete(row.id)
            })
          inFlight.set(row.id, call)
        }
        if (inFlight.size === 0 || errors.length > 0) break
        await Promise.race([...inFlight.values(), queued.next()])
      }
      await Promise.all(inFlight.values())
    } finally {
      queued.stop()
    }
    if (errors.length > 0) throw errors[0]
    return report
  },
}

async function failLostCalls(context: ServerContext): Promise<number> {
  const rows = await readClaimedBefore(context.reads, addSeconds(context.clock.now(), -claimSeconds), concurrentCallsMax)
  const outcomes = await Promise.all(rows.map((row) => failLostAction(context, row)))
  return outcomes.filter((outcome) => outcome !== 'gone').length
}

/** Resolves `next` when an outbound action is queued. */
function topicSignal({ bus }: ServerContext): { next(): Promise<void>; stop(): void } {
  let wake: (() => void) | undefined
  const stop = bus.on(outboundActionsQueued, () => wake?.())
  return {
    next: () =>
      new Promise((resolve) => {
        wake = resolve
      }),
    stop,
  }
}
