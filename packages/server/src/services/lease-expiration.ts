import { expireLeases } from '../domains/concurrency-limits/expire-leases.ts'
import { hasExpiredLeases, rebaseLeases } from '../domains/concurrency-limits/lease-store.ts'
import { addSeconds, type Micros } from '../lib/time.ts'
import { perServer, type ServerContext } from '../storage/server-context.ts'
import type { Service } from './service.ts'

/** Leases removed in one transaction, so that nobody waits long for their limits. */
const batchSize = 500

/** A clock that goes back by more than this between two passes was wrong before. */
const clockStepSeconds = 10

/** When the last pass began; before the first pass nobody knows what the clock did. */
const lastPass = perServer((): { at: Micros } => ({ at: Number.POSITIVE_INFINITY }))

/**
 * Removes leases that ran out, and wakes whoever waits for a slot. It is late on purpose: for as long as its interval a lease that ran
 * out can still be renewed, if nobody has its slots; others may take them from the moment it ran out.
 * After the clock went back it also shortens leases that the clock made too long while it was ahead.
 * Settings: services.lease_expiration.every_seconds (15). Reports: repossessed, rebased.
 */
export const leaseExpiration: Service = {
  name: 'lease-expiration',
  enabled: (config) => config.services.lease_expiration.enabled,
  everySeconds: (config) => config.services.lease_expiration.every_seconds,
  async runOnce(context, signal) {
    const rebased = await rebaseAfterClockStep(context)
    if (!(await hasExpiredLeases(context.reads, context.clock.now()))) return { repossessed: 0, rebased }
    // Their slots are free already: that nobody gave them back is no reason to let others sleep.
    context.bus.notify('slots')
    for (let repossessed = 0; ; ) {
      const removed = await context.writeQueue.submit(expireLeases(context, batchSize))
      repossessed += removed
      if (removed < batchSize || signal.aborted) return { repossessed, rebased }
    }
  },
}

async function rebaseAfterClockStep(context: ServerContext): Promise<number> {
  const now = context.clock.now()
  const last = lastPass(context)
  const tolerated = addSeconds(now, clockStepSeconds)
  const steppedBack = last.at > tolerated
  last.at = now
  return steppedBack ? context.writeQueue.submit((tx) => rebaseLeases(tx, now, tolerated)) : 0
}
