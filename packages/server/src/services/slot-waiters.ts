import { limitsWithWakeableRuns, wakeSlotWaiters } from '../domains/flow-runs/wake-slot-waiters.ts'
import type { Service } from './service.ts'

/** Slots are given back in ways that wake nobody as well: a lease runs out, a limit fades. */
const everySeconds = 1

/** Made due in one transaction at most, so that nobody waits long behind it. */
const batchSize = 200

/**
 * Makes flow runs due that wait for a slot of their deployment, as soon as one is free: they were put off by half a minute, and the slot would lie idle.
 * A run that is woken may still find that a newer one was faster; then it waits again.
 * Settings: none; concurrency.deployment_slot_wait_seconds (30) is how long a run is put off. Reports: hastened.
 */
export const slotWaiters: Service = {
  name: 'slot-waiters',
  enabled: (config) => config.services.enabled,
  everySeconds: () => everySeconds,
  wakeOn: ['slots'],
  async runOnce(context, signal) {
    for (let hastened = 0; ; ) {
      const limits = await limitsWithWakeableRuns(context)
      if (limits.length === 0) return { hastened }
      const done = await context.writeQueue.submit(wakeSlotWaiters(context, limits, batchSize))
      hastened += done
      if (done < batchSize || signal.aborted) return { hastened }
    }
  },
}
