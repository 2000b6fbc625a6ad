import { deploymentLeaseSeconds, describeHolders, limitFacts } from '../limits.ts'
import { defineRule, type FlowRunSnapshot } from '../rule.ts'
import { cancelled, withDetails } from '../states.ts'
import { accept, amend, replace } from '../verdicts.ts'

/**
 * Infrastructure may take longer to start than the lease lasts. When the run starts, it renews its lease, acquires a free slot, or is cancelled: its
 * infrastructure exists, so it cannot be rescheduled like a pending run. A client that does not renew leases would lose the slot while it runs, so it
 * gets a lease without expiry, and it is not cancelled for a lost lease.
 */
export const confirmDeploymentSlot = defineRule<FlowRunSnapshot>({
  name: 'confirm-deployment-slot',
  from: ['PENDING'],
  to: ['RUNNING'],
  decide(context) {
    const { run, current, proposed, slots, leaseMode } = context
    const lease = current?.state_details.deployment_concurrency_lease_id ?? null
    const proposedLease = proposed.state_details.deployment_concurrency_lease_id ?? null
    const confirmed = proposedLease === lease ? accept : amend(withDetails(proposed, { deployment_concurrency_lease_id: lease }))
    const limit = run.deploymentLimit
    const usage = lease && limit && slots.usage(limit.name)
    if (!usage || usage.holders.includes(run.id) || (usage.active && usage.free > 0) || leaseMode !== 'renews') return confirmed
    const holders = usage.holders.length === 0 ? '' : ` (${describeHolders(usage.holders)})`
    const lost = `The slot of concurrency limit ${limit.name} expired while the infrastructure started, and no slot is free${holders}`
    return replace(cancelled(context, `${lost}.`), `${lost}; the run is cancelled.`, { ...limitFacts(limit.name, usage), lease_id: lease })
  },
  finalize({ run, current, proposed, slots, settings, leaseMode }) {
    const limit = run.deploymentLimit
    const usage = current?.state_details.deployment_concurrency_lease_id && limit && slots.usage(limit.name)
    if (!usage) return undefined
    const seconds = leaseMode === 'renews' ? deploymentLeaseSeconds(limit, settings) : null
    const isHolder = usage.holders.includes(run.id)
    if (!isHolder && (!usage.active || usage.free <= 0)) return undefined
    const lease = isHolder ? slots.renew(run.id, [limit.name], seconds) : slots.acquire([limit.name], run.id, seconds)
    return withDetails(proposed, { deployment_concurrency_lease_id: lease })
  },
})
