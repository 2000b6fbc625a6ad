import { evaluateStep } from '../automations/evaluate.ts'
import type { Service } from './service.ts'

/** Steps of one pass at most: automations that answer each other must not keep a pass from ending. */
const stepsMax = 500

/**
 * Shows events to the triggers of automations, and asks those that fire when something does not happen. Reads the log behind a durable cursor, so that
 * nothing is missed while no server runs; with several servers one evaluates at a time, whoever comes first. A trigger that waits for something to
 * fail to happen fires late by as much as the interval.
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
