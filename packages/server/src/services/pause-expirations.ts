import { expirePauses } from '../domains/flow-runs/expire-pauses.ts'
import { type Service, writeInBatches } from './service.ts'

/** Runs per transaction. */
const batchSize = 200

/**
 * Fails paused runs whose resume timeout is over. A run that is resumed at the same moment may still fail.
 * Settings: services.pause_expirations.every_seconds (5). Reports: expired.
 */
export const pauseExpirations: Service = {
  name: 'pause-expirations',
  enabled: (config) => config.services.pause_expirations.enabled,
  everySeconds: (config) => config.services.pause_expirations.every_seconds,
  async runOnce(context, signal) {
    return { expired: await writeInBatches(context, signal, batchSize, expirePauses(context, batchSize)) }
  },
}
