import { formatTime, MICROS_PER_SECOND, type Micros, toMicros } from '../../lib/time.ts'
import { defineRule } from '../rule.ts'
import { accept, wait } from '../verdicts.ts'

/** The client waits until the scheduled time, by the clock of the server. */
export const waitForScheduledTime = defineRule({
  name: 'wait-for-scheduled-time',
  from: ['SCHEDULED', 'PENDING'],
  to: ['RUNNING'],
  decide({ current, now }) {
    const stored = current?.state_details.scheduled_time
    if (!stored) return accept
    const seconds = roundToSeconds(toMicros(stored) - now)
    if (seconds <= 0) return accept
    const scheduled_time = formatTime(toMicros(stored))
    return wait(seconds, `This run is scheduled for ${scheduled_time}, in ${seconds} second${seconds === 1 ? '' : 's'}.`, { scheduled_time })
  },
})

/** The API uses whole seconds. Half a second is rounded down: a moment early is better than a second late. */
function roundToSeconds(micros: Micros): number {
  return Math.ceil(micros / MICROS_PER_SECOND - 0.5)
}
