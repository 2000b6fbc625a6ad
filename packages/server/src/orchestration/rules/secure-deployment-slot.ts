import { deploymentLeaseSeconds, describeFullLimit, limitFacts } from '../limits.ts'
import { allTypesExcept, defineRule, type FlowRunSnapshot } from '../rule.ts'
import { awaitingConcurrencySlot, cancelled, withDetails } from '../states.ts'
import { abort, accept, replace } from '../verdicts.ts'

/**
 * Enforces the concurrency limit of a deployment. The slot is acquired at Pending, before a worker creates infrastructure for the run.
 * A run that retries in its process keeps its slot. An inactive limit gives no slots. A client that brings its slot has acquired it already: a second
 * slot for the same run would fill a limit of one.
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
    const facts = { deployment_id: run.deployment_id, ...limitFacts(limit.name, usage) }
    if (usage.slots === 0) return abort(`Concurrency limit ${limit.name} has 0 slots; the run can never start. Raise the limit.`, facts)
    if (usage.holders.includes(run.id)) return accept
    if (usage.active && usage.free > 0) return accept
    const full = describeFullLimit(limit.name, usage)
    if (limit.collision_strategy === 'CANCEL_NEW') {
      return replace(cancelled(context, `${full}.`), `${full}; collision strategy CANCEL_NEW cancels new runs.`, facts)
    }
    const seconds = settings.deployment_slot_wait_seconds
    return replace(awaitingConcurrencySlot(context, seconds), `${full}; the run is scheduled again in ${seconds} seconds.`, facts)
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
