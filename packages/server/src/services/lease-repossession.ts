import { hasExpired } from '../domains/concurrency-limits/leases.ts'
import { repossess } from '../domains/concurrency-limits/repossess.ts'
import type { Service } from './service.ts'

/** Leases removed in one transaction, so that nobody waits long for their limits. */
const batchSize = 500

/**
 * Removes leases that ran out, and wakes whoever waits for a slot. It is late on purpose: for as long as its interval a lease that ran
 * out can still be renewed, if nobody has its slots; others may take them from the moment it ran out.
 * Settings: services.lease_repossession.every_seconds (15). Reports: repossessed.
 */
export const leaseRepossession: Service = {
  name: 'lease-repossession',
  enabled: (config) => config.services.lease_repossession.enabled,
  everySeconds: (config) => config.services.lease_repossession.every_seconds,
  async runOnce(parts, signal) {
    if (!(await hasExpired(parts.reads, parts.clock.now()))) return { repossessed: 0 }
    // Their slots are free already: that nobody gave them back is no reason to let others sleep.
    parts.bus.wake('slots')
    for (let repossessed = 0; ; ) {
      const removed = await parts.lane.submit(repossess(parts, batchSize))
      repossessed += removed
      if (removed < batchSize || signal.aborted) return { repossessed }
    }
  },
}
