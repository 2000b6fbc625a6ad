import { setTimeout as pause } from 'node:timers/promises'
import { round } from '../histogram.ts'
import { type BenchContext, check, type Trial } from '../workload.ts'

const intervalSeconds = 60
const pollMs = 25
/** The reference looks for new schedules once a minute. */
const firstRunMs = 90_000

/** Deployments with a schedule of one run per minute: how many runs the scheduler plans per second, read over the API. */
export function schedulerRate(context: BenchContext): Trial {
  const { setup, fixtures, stamp, sizes } = context
  const { scheduledDeployments: deploymentCount, schedulerIdleMs } = sizes
  return {
    name: 'scheduler.plan',
    unit: 'runs',
    async measure() {
      const ids: string[] = []
      const count = (): Promise<number> => setup.post('/flow_runs/count', { flow_runs: { deployment_id: { any_: ids } } })
      try {
        for (let number = 0; number < deploymentCount; number += 1) {
          const deployment = await setup.post('/deployments/', {
            name: `${fixtures.prefix}-scheduled-${stamp}-${number}`,
            flow_id: fixtures.flowIds[number % fixtures.flowIds.length],
            tags: [fixtures.prefix],
            paused: true,
            schedules: [{ active: true, schedule: { interval: intervalSeconds, anchor_date: '2030-01-01T00:00:00Z', timezone: 'UTC' } }],
            parameter_openapi_schema: { type: 'object', properties: {} },
            enforce_parameter_schema: false,
          })
          ids.push(deployment.id)
        }
        const began = performance.now()
        for (const id of ids) await setup.raw('POST', `/deployments/${id}/resume_deployment`)
        // The count is only asked while the scheduler works, so that the question costs it little.
        let [planned, firstAt, lastAt] = [0, 0, began]
        while (planned === 0 ? performance.now() - began < firstRunMs : performance.now() - lastAt < schedulerIdleMs) {
          const now = await count()
          if (now > planned) {
            if (planned === 0) firstAt = performance.now()
            lastAt = performance.now()
            planned = now
          }
          await pause(pollMs)
        }
        check(planned >= deploymentCount, `${planned} planned runs of ${deploymentCount} deployments`)
        // A scheduler may plan all runs before the first count sees any.
        const seconds = Math.max(pollMs, lastAt - Math.min(firstAt, lastAt - pollMs)) / 1000
        const rate = round(planned / seconds)
        return { users: 1, seconds: round(seconds), operations: planned, perSecond: rate, unitsPerSecond: rate, latencyMs: undefined, errors: 0 }
      } finally {
        for (const id of ids) await setup.raw('DELETE', `/deployments/${id}`)
      }
    },
  }
}
