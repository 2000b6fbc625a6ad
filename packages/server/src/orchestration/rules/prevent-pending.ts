import { defineRule } from '../rule.ts'
import { withDetails } from '../states.ts'
import { abort, accept, amend } from '../verdicts.ts'

/**
 * Two workers may pick up the same run: the second finds it pending or running and must let go.
 * The first may go on through pending states of other names (Submitting, InfrastructurePending), but not back to plain Pending:
 * that would be the second worker again. What the first pending state was given is carried along.
 */
export const preventPending = defineRule({
  name: 'prevent-pending',
  from: ['PENDING', 'CANCELLING', 'RUNNING', 'CANCELLED'],
  to: ['PENDING'],
  decide({ current, proposed }) {
    if (!current) return accept
    if (current.type === 'PENDING' && proposed.name !== current.name && proposed.name !== 'Pending') {
      const { scheduled_time, deployment_concurrency_lease_id } = current.state_details
      return amend(withDetails(proposed, { scheduled_time, deployment_concurrency_lease_id }))
    }
    return abort(`This run is already ${current.name}, so it cannot be submitted again.`, { state_type: current.type, state_name: current.name })
  },
})
