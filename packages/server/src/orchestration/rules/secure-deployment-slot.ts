import { deploymentLeaseSeconds, describeHolders } from '../limits.ts'
import { allTypesExcept, defineRule, type FlowRunSnapshot } from '../rule.ts'
import { awaitingConcurrencySlot, cancelled, withDetails } from '../states.ts'
import { abort, accept, replace } from '../verdicts.ts'

/**
 * A deployment with a limit runs no more than that at once. The slot is taken at Pending, before a worker makes infrastructure for the run.
 * A run that retries in its process still has its slot and keeps it. A limit that is switched off gives nothing. A worker that brings the slot has
 * counted it already: a second one would fill a limit of one with a single run.
 */
export const secureDeploymentSlot = defineRule<FlowRunSnapshot>({
  name: 'secure-deployment-slot',
  from: [null, ...allTypesExcept('PENDING', 'RUNNING', 'CANCELLING')],
  to: ['PENDING'],
  decide(context) {
    const { run, slots, settings, leaseMode } = context
    if (run.deployment_id === null || leaseMode === 'brings') return accept
    if (!run.deploymentExists) return abort('The deployment of this run no longer exists.', { deployment_id: run.deployment_id })
    const limit = run.deploymentLimit
    const usage = limit && slots.usage(limit.name)
    if (!usage) return accept
    const facts = { deployment_id: run.deployment_id, limit: limit.name, slots: usage.slots, holders: usage.holders.slice(0, 10) }
    if (usage.slots === 0) return abort(`The concurrency limit ${limit.name} allows no run at all, so this one would wait for ever.`, facts)
    if (usage.holders.includes(run.id)) return accept
    if (usage.active && usage.free > 0) return accept
    const full = usage.active
      ? `The concurrency limit ${limit.name} allows ${usage.slots} at a time and is full (${describeHolders(usage.holders)})`
      : `The concurrency limit ${limit.name} is switched off`
    if (limit.collision_strategy === 'CANCEL_NEW') {
      return replace(cancelled(context, `${full}.`), `${full}, and the deployment has new runs cancelled then.`, facts)
    }
    const seconds = settings.deployment_slot_wait_seconds
    return replace(awaitingConcurrencySlot(context, seconds), `${full}; this run is tried again in ${seconds} seconds.`, facts)
  },
  finalize({ run, proposed, slots, settings, leaseMode }) {
    const limit = run.deploymentLimit
    const usage = limit && slots.usage(limit.name)
    if (!usage || leaseMode === 'brings') return undefined
    const seconds = deploymentLeaseSeconds(limit, settings)
    const lease = usage.holders.includes(run.id) ? slots.renew(run.id, [limit.name], seconds) : slots.acquire([limit.name], run.id, seconds)
    return withDetails(proposed, { deployment_concurrency_lease_id: lease })
  },
})
