import { markStaleDeployments } from '../domains/deployments/deployment-status.ts'
import { markStalePools } from '../domains/work-pools/pool-status.ts'
import { markStaleQueues } from '../domains/work-queues/health.ts'
import { markWorkersOffline } from '../domains/workers/store.ts'
import { addSeconds, MICROS_PER_SECOND } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Service } from './service.ts'

/** Changed in one transaction at most, so that nobody waits long behind it. */
const batchSize = 500

/**
 * Turns silence into statuses: workers go offline when their heartbeats fail to come, pools without a worker, queues and deployments
 * that nobody polls are not ready. Judges by stamps that are written now and then only: a status may outlive the last poll by the
 * service's interval, and never fades while somebody polls.
 * Settings: services.worker_monitor.every_seconds (15), inactivity_heartbeat_multiple (3), fallback_heartbeat_interval_seconds (30),
 * deployment_last_polled_timeout_seconds (60), work_queue_last_polled_timeout_seconds (60).
 * Reports: workers, pools, deployments, queues.
 */
export const workerMonitor: Service = {
  name: 'worker-monitor',
  enabled: (config) => config.services.worker_monitor.enabled,
  everySeconds: (config) => config.services.worker_monitor.every_seconds,
  async runOnce(context, signal) {
    const settings = context.config.services.worker_monitor
    const now = context.clock.now()
    const patience = settings.inactivity_heartbeat_multiple * MICROS_PER_SECOND
    const otherwise = Math.round(settings.fallback_heartbeat_interval_seconds * patience)
    const workers = await context.writeQueue.submit((tx) => markWorkersOffline(tx, now, patience, otherwise))
    const pools = await inBatches(context, signal, (tx) => markStalePools(context, tx, batchSize))
    const deploymentsSince = addSeconds(now, -settings.deployment_last_polled_timeout_seconds)
    const deployments = await inBatches(context, signal, (tx) => markStaleDeployments(context, tx, deploymentsSince, batchSize))
    const queuesSince = addSeconds(now, -settings.work_queue_last_polled_timeout_seconds)
    const queues = await inBatches(context, signal, (tx) => markStaleQueues(context, tx, queuesSince, batchSize))
    return { workers, pools, deployments, queues }
  },
}

async function inBatches(context: ServerContext, signal: AbortSignal, markStale: (tx: Tx) => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const found = await context.writeQueue.submit(markStale)
    total += found
    if (found < batchSize || signal.aborted) return total
  }
}
