import { defineRule } from '../define-rule.ts'
import { heldBy } from '../holders.ts'
import { leaseSeconds } from '../lease-seconds.ts'
import type { FlowRunFacts } from '../rule.ts'
import { cancelled, withDetails } from '../states.ts'
import { accept, amend, replace } from '../verdict.ts'

/**
 * Infrastructure may take longer to start than the lease lasts. When the run starts at last it renews its slot, takes a free one,
 * or is cancelled: its infrastructure is there already, so it cannot be put off like a pending run. From a client that renews nothing the slot would be
 * taken while it runs, so that one keeps it until it ends; and it is not cancelled for a lease that it knows nothing of.
 */
export const confirmDeploymentSlot = defineRule<FlowRunFacts>({
  name: 'confirm-deployment-slot',
  from: ['PENDING'],
  to: ['RUNNING'],
  decide(context) {
    const { run, current, proposed, slots, habit } = context
    const lease = current?.state_details.deployment_concurrency_lease_id ?? null
    const sent = proposed.state_details.deployment_concurrency_lease_id ?? null
    const confirmed = sent === lease ? accept : amend(withDetails(proposed, { deployment_concurrency_lease_id: lease }))
    const limit = run.deploymentLimit
    const standing = lease && limit && slots.limit(limit.name)
    if (!standing || standing.holders.includes(run.id) || (standing.active && standing.free > 0) || habit !== 'renews') return confirmed
    const lost = `The slot of the concurrency limit ${limit.name} was lost while the infrastructure started, and now none is free (${heldBy(standing.holders)})`
    return replace(cancelled(context, `${lost}.`), `${lost}; the run is cancelled.`, {
      limit: limit.name,
      slots: standing.slots,
      holders: standing.holders.slice(0, 10),
      lease_id: lease,
    })
  },
  settle({ run, current, proposed, slots, settings, habit }) {
    const limit = run.deploymentLimit
    const standing = current?.state_details.deployment_concurrency_lease_id && limit && slots.limit(limit.name)
    if (!standing) return undefined
    const seconds = habit === 'renews' ? leaseSeconds(limit, settings) : null
    const holds = standing.holders.includes(run.id)
    if (!holds && (!standing.active || standing.free <= 0)) return undefined
    const lease = holds ? slots.renew(run.id, [limit.name], seconds) : slots.take([limit.name], run.id, seconds)
    return withDetails(proposed, { deployment_concurrency_lease_id: lease })
  },
})
