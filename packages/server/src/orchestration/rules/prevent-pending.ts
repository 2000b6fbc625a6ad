import { defineRule } from '../rule.ts'
import { withDetails } from '../states.ts'
import { abort, accept, amend } from '../verdicts.ts'

/**
 * Two workers may pick up the same run. The second one finds it pending or running and must abort.
 * The first one may propose Pending states with other names (Submitting, InfrastructurePending), but not plain Pending again:
 * that proposal comes from a second worker. The scheduled time and the lease id stay.
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
