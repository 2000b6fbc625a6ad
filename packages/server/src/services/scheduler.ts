import { listDeploymentsToPlan, planRuns } from '../domains/deployments/plan-runs.ts'
import { schedulesTopic } from '../domains/deployments/replan.ts'
import type { Service } from './service.ts'

/** Deployments per pass. The next pass continues with those that have waited longest. */
const deploymentsMax = 20_000

/**
 * Creates the runs of schedules ahead of time. Each schedule stores when it is due for planning, so a pass without work is one index lookup. Any number of
 * servers can do this at once: the first to lock a deployment plans it. Times that pass while no server runs get a run only when they are less than
 * `every_seconds` old.
 * Settings: services.scheduler: recent_every_seconds (5) between passes, every_seconds (60), min_runs (3), max_runs (100),
 * min_scheduled_seconds (an hour), max_scheduled_seconds (100 days), deployment_batch_size (100), insert_batch_size (100).
 * Reports: scheduled.
 */
export const scheduler: Service = {
  name: 'scheduler',
  enabled: (config) => config.services.scheduler.enabled,
  everySeconds: ({ services: { scheduler } }) => Math.min(scheduler.every_seconds, scheduler.recent_every_seconds),
  wakeOn: [schedulesTopic],
  async runOnce(context, signal) {
    const { deployment_batch_size: batchSize } = context.config.services.scheduler
    const ids = await listDeploymentsToPlan(context.reads, context.clock.now(), deploymentsMax)
    let scheduled = 0
    for (let at = 0; at < ids.length && !signal.aborted; ) {
      const { examined, created } = await context.commands.submit(planRuns(context, ids.slice(at, at + batchSize)))
      at += examined
      scheduled += created
    }
    return { scheduled }
  },
}
