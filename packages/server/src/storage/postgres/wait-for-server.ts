import { addSeconds, type Clock, systemClock, waitSeconds } from '../../lib/time.ts'
import type { WaitOptions } from '../pool.ts'
import { explainStartFailure } from './startup-errors.ts'

const retrySeconds = 0.5

/**
 * Waits for a PostgreSQL that is still starting: in containers both are often started at once. What will not pass by itself, such as a wrong
 * password, is not tried again.
 */
export async function waitForServer(
  connect: () => Promise<void>,
  url: string,
  { timeoutSeconds: seconds, onWait }: WaitOptions,
  clock: Clock = systemClock(),
): Promise<void> {
  const deadline = addSeconds(clock.now(), seconds)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connect()
    } catch (error) {
      const failure = explainStartFailure(error, url)
      if (!failure?.isTransient || addSeconds(clock.now(), retrySeconds) > deadline) throw error
      if (attempt === 1) onWait(`${failure.error.message} Trying again for ${seconds} seconds.`)
      await waitSeconds(retrySeconds)
    }
  }
}
