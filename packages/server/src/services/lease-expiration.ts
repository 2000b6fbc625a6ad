import { expireLeases } from '../domains/concurrency-limits/expire-leases.ts'
import { hasExpiredLeases, rebaseLeases } from '../domains/concurrency-limits/lease-store.ts'
import { releaseMissingHolders } from '../domains/concurrency-limits/release-missing-holders.ts'
import { addSeconds, type Micros } from '../lib/time.ts'
import { type ActingContext, perServer } from '../storage/server-context.ts'
import type { Service } from './service.ts'
import { writeInBatches } from './service.ts'

/** Leases per transaction. */
const batchSize = 500

/** A clock that steps back by more than this between two passes was ahead before. */
const clockStepSeconds = 10

/** The start time of the last pass. Infinity before the first pass, so that leases are rebased once after a start. */
const lastPass = perServer((): { at: Micros } => ({ at: Number.POSITIVE_INFINITY }))

/**
 * Deletes expired leases and wakes slot waiters. The delay of one interval is deliberate: until then an expired lease can still be renewed, unless another
 * holder has taken its slots. Expired slots are free at once.
 * Releases leases without an expiry whose run does not exist.
 * After the clock stepped back, it also shortens leases that are too long because the clock was ahead.
 * Settings: services.lease_expiration.every_seconds (15). Reports: expired, rebased, abandoned (of runs that do not exist).
 */
export const leaseExpiration: Service = {
  name: 'lease-expiration',
  enabled: (config) => config.services.lease_expiration.enabled,
  everySeconds: (config) => config.services.lease_expiration.every_seconds,
  async runOnce(context, signal) {
    const rebased = await rebaseAfterClockStep(context)
    const abandoned = await releaseMissingHolders(context, signal, batchSize)
    if (!(await hasExpiredLeases(context.reads, context.clock.now()))) return { expired: 0, rebased, abandoned }
    // The slots are free already, but no release has woken the waiters.
    context.bus.notify('slots')
    return { expired: await writeInBatches(context, signal, batchSize, expireLeases(context, batchSize)), rebased, abandoned }
  },
}

async function rebaseAfterClockStep(context: ActingContext): Promise<number> {
  const now = context.clock.now()
  const last = lastPass(context)
  const latestPlausible = addSeconds(now, clockStepSeconds)
  const steppedBack = last.at > latestPlausible
  last.at = now
  return steppedBack ? context.commands.submit((tx) => rebaseLeases(tx, now, latestPlausible)) : 0
}
