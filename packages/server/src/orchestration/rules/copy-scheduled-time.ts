import { defineRule } from '../rule.ts'
import { withDetails } from '../states.ts'
import { accept, amend } from '../verdicts.ts'

/** A Pending state without a scheduled time keeps that of the current state. */
export const copyScheduledTime = defineRule({
  name: 'copy-scheduled-time',
  from: ['SCHEDULED'],
  to: ['PENDING'],
  decide({ current, proposed }) {
    const time = current?.state_details.scheduled_time
    if (!time || proposed.state_details.scheduled_time) return accept
    return amend(withDetails(proposed, { scheduled_time: time }))
  },
})
