import { limitsWithWakeableRuns, wakeSlotWaiters } from '../domains/flow-runs/wake-slot-waiters.ts'
import type { Service } from './service.ts'

/** Slots also become free without a notification: a lease expires, a slot decays. */
const everySeconds = 1

/** Runs per transaction. */
const batchSize = 200

/**
 * Reschedules flow runs that wait for a slot of their deployment to now, as soon as a slot is free. They were postponed by half a minute, and the slot would
 * stay unused. If another run takes the slot first, the woken run waits again.
 * Settings: none; concurrency.deployment_slot_wait_seconds (30) is the postponement. Reports: woken.
 */
export const slotWaiters: Service = {
  name: 'slot-waiters',
  enabled: (config) => config.services.enabled,
  everySeconds: () => everySeconds,
  wakeOn: ['slots'],
  async runOnce(context, signal) {
    for (let woken = 0; ; ) {
      const limits = await limitsWithWakeableRuns(context)
      if (limits.length === 0) return { woken }
      const handled = await context.commands.submit(wakeSlotWaiters(context, limits, batchSize))
      woken += handled
      if (handled < batchSize || signal.aborted) return { woken }
    }
  },
}
