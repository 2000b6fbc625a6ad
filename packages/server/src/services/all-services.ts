import { automationActions } from './automation-actions.ts'
import { automationCalls } from './automation-calls.ts'
import { cancellation } from './cancellation.ts'
import { eventChapters } from './event-chapters.ts'
import { foreman } from './foreman.ts'
import { lateRuns } from './late-runs.ts'
import { leaseRepossession } from './lease-repossession.ts'
import { pauseExpirations } from './pause-expirations.ts'
import { retention } from './retention.ts'
import { scheduler } from './scheduler.ts'
import type { Service } from './service.ts'
import { slotWaiters } from './slot-waiters.ts'
import { taskRunReconciler } from './task-run-recorder.ts'
import { triggerEvaluator } from './trigger-evaluator.ts'
import { zombieRuns } from './zombie-runs.ts'

/** Everything that runs in the background. */
export const allServices: readonly Service[] = [
  scheduler,
  lateRuns,
  pauseExpirations,
  cancellation,
  foreman,
  zombieRuns,
  leaseRepossession,
  slotWaiters,
  taskRunReconciler,
  eventChapters,
  retention,
  triggerEvaluator,
  automationActions,
  automationCalls,
]
