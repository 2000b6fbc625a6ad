import { deploymentLeaseSeconds, describeHolders } from '../limits.ts'
import { defineRule, type FlowRunSnapshot } from '../rule.ts'
import { cancelled, withDetails } from '../states.ts'
import { accept, amend, replace } from '../verdicts.ts'

/**
 * Infrastructure may take longer to start than the lease lasts. When the run starts at last it renews its slot, takes a free one,
 * or is cancelled: its infrastructure is there already, so it cannot be put off like a pending run. From a client that renews nothing the slot would be
 * taken while it runs, so that one keeps it until it ends; and it is not cancelled for a lease that it knows nothing of.
 */
export const confirmDeploymentSlot = defineRule<FlowRunSnapshot>({
  name: 'confirm-deployment-slot',
  from: ['PENDING'],
  to: ['RUNNING'],
  decide(context) {
    const { run, current, proposed, slots, leaseMode } = context
    const lease = current?.state_details.deployment_concurrency_lease_id ?? null
    const sent = proposed.state_details.deployment_concurrency_lease_id ?? null
    const confirmed = sent === lease ? accept : amend(withDetails(proposed, { deployment_concurrency_lease_id: lease }))
    const limit = run.deploymentLimit
    const usage = lease && limit && slots.usage(limit.name)
    if (!usage || usage.holders.includes(run.id) || (usage.active && usage.free > 0) || leaseMode !== 'renews') return confirmed
    const lost = `The slot of the concurrency limit ${limit.name} was lost while the infrastructure started, and now none is free (${describeHolders(usage.holders)})`
    return replace(cancelled(context, `${lost}.`), `${lost}; the run is cancelled.`, {
      limit: limit.name,
      slots: usage.slots,
      holders: usage.holders.slice(0, 10),
      lease_id: lease,
    })
  },
  finalize({ run, current, proposed, slots, settings, leaseMode }) {
    const limit = run.deploymentLimit
    const usage = current?.state_details.deployment_concurrency_lease_id && limit && slots.usage(limit.name)
    if (!usage) return undefined
    const seconds = leaseMode === 'renews' ? deploymentLeaseSeconds(limit, settings) : null
    const holds = usage.holders.includes(run.id)
    if (!holds && (!usage.active || usage.free <= 0)) return undefined
    const lease = holds ? slots.renew(run.id, [limit.name], seconds) : slots.acquire([limit.name], run.id, seconds)
    return withDetails(proposed, { deployment_concurrency_lease_id: lease })
  },
})
