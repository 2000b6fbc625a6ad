import { anyType, defineRule } from '../rule.ts'
import { withDetails } from '../states.ts'
import { accept, amend } from '../verdicts.ts'

/** Workers send no lease id. The engine of the run needs it to renew the lease, so the id stays in the state. */
export const keepDeploymentLease = defineRule({
  name: 'keep-deployment-lease',
  from: anyType,
  to: anyType,
  decide({ current, proposed }) {
    const lease = current?.state_details.deployment_concurrency_lease_id
    if (!lease || proposed.state_details.deployment_concurrency_lease_id) return accept
    return amend(withDetails(proposed, { deployment_concurrency_lease_id: lease }))
  },
})
