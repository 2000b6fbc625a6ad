import { markStaleDeployments } from '../domains/deployments/deployment-status.ts'
import { markStalePools } from '../domains/work-pools/pool-status.ts'
import { markStaleQueues } from '../domains/work-queues/health.ts'
import { markWorkersOffline } from '../domains/workers/store.ts'
import { addSeconds, MICROS_PER_SECOND } from '../lib/time.ts'
import { type Service, writeInBatches } from './service.ts'

/** Rows per transaction. */
const batchSize = 500

/**
 * Updates statuses after missing heartbeats and polls: workers become offline; pools without a worker, and queues and deployments without a poll, become
 * not ready. Poll times are written only now and then, so a status may last one interval longer than the last poll, but never ends while polls arrive.
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
    const timeoutMicros = settings.inactivity_heartbeat_multiple * MICROS_PER_SECOND
    const fallbackTimeoutMicros = Math.round(settings.fallback_heartbeat_interval_seconds * timeoutMicros)
    const workers = await context.commands.submit((tx) => markWorkersOffline(tx, now, timeoutMicros, fallbackTimeoutMicros))
    const pools = await writeInBatches(context, signal, batchSize, (tx) => markStalePools(context, tx, batchSize))
    const deploymentsSince = addSeconds(now, -settings.deployment_last_polled_timeout_seconds)
    const deployments = await writeInBatches(context, signal, batchSize, (tx) => markStaleDeployments(context, tx, deploymentsSince, batchSize))
    const queuesSince = addSeconds(now, -settings.work_queue_last_polled_timeout_seconds)
    const queues = await writeInBatches(context, signal, batchSize, (tx) => markStaleQueues(context, tx, queuesSince, batchSize))
    return { workers, pools, deployments, queues }
  },
}
