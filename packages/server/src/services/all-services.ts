import { automationActions, automationOutboundActions, triggerEvaluator } from './automations.ts'
import { backup } from './backup.ts'
import { cancellation } from './cancellation.ts'
import { eventSegments } from './event-segments.ts'
import { lateRuns } from './late-runs.ts'
import { leaseExpiration } from './lease-expiration.ts'
import { pauseExpirations } from './pause-expirations.ts'
import { postgresUpkeep } from './postgres-upkeep.ts'
import { retention } from './retention.ts'
import { runCounts } from './run-counts.ts'
import { runNames } from './run-names.ts'
import { scheduler } from './scheduler.ts'
import type { Service } from './service.ts'
import { slotWaiters } from './slot-waiters.ts'
import { taskRunReconciler } from './task-run-reconciler.ts'
import { workerMonitor } from './worker-monitor.ts'
import { zombieRuns } from './zombie-runs.ts'

/** All background services. */
export const allServices: readonly Service[] = [
  scheduler,
  lateRuns,
  pauseExpirations,
  cancellation,
  workerMonitor,
  zombieRuns,
  leaseExpiration,
  slotWaiters,
  taskRunReconciler,
  eventSegments,
  runCounts,
  runNames,
  postgresUpkeep,
  retention,
  backup,
  triggerEvaluator,
  automationActions,
  automationOutboundActions,
]
