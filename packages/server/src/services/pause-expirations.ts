import { expirePauses } from '../domains/flow-runs/expire-pauses.ts'
import type { Service } from './service.ts'

/** Failed in one transaction at most, so that nobody waits long behind it. */
const batchSize = 200

/**
 * Fails paused runs whose time to resume is over. Judges by time alone: a run resumed this very second may still fail.
 * Settings: services.pause_expirations.every_seconds (5). Reports: expired.
 */
export const pauseExpirations: Service = {
  name: 'pause-expirations',
  enabled: (config) => config.services.pause_expirations.enabled,
  everySeconds: (config) => config.services.pause_expirations.every_seconds,
  async runOnce(context, signal) {
    for (let expired = 0; ; ) {
      const found = await context.writeQueue.submit(expirePauses(context, batchSize))
      expired += found
      if (found < batchSize || signal.aborted) return { expired }
    }
  },
}
