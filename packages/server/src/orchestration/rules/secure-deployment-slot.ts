import { allBut, defineRule } from '../define-rule.ts'
import { heldBy } from '../holders.ts'
import { leaseSeconds } from '../lease-seconds.ts'
import type { FlowRunFacts } from '../rule.ts'
import { awaitingConcurrencySlot, cancelled, withDetails } from '../states.ts'
import { abort, accept, replace } from '../verdict.ts'

/**
 * A deployment with a limit runs no more than that at once. The slot is taken at Pending, before a worker makes infrastructure for the run.
 * A run that retries in its process still has its slot and keeps it. A limit that is switched off gives nothing. A worker that brings the slot has
 * counted it already: a second one would fill a limit of one with a single run.
 */
export const secureDeploymentSlot = defineRule<FlowRunFacts>({
  name: 'secure-deployment-slot',
  from: [null, ...allBut('PENDING', 'RUNNING', 'CANCELLING')],
  to: ['PENDING'],
  decide(context) {
    const { run, slots, settings, habit } = context
    if (run.deployment_id === null || habit === 'brings') return accept
    if (!run.deploymentExists) return abort('The deployment of this run no longer exists.', { deployment_id: run.deployment_id })
    const limit = run.deploymentLimit
    const standing = limit && slots.limit(limit.name)
    if (!standing) return accept
    const facts = { deployment_id: run.deployment_id, limit: limit.name, slots: standing.slots, holders: standing.holders.slice(0, 10) }
    if (standing.slots === 0) return abort(`The concurrency limit ${limit.name} allows no run at all, so this one would wait for ever.`, facts)
    if (standing.holders.includes(run.id)) return accept
    if (standing.active && standing.free > 0) return accept
    const full = standing.active
      ? `The concurrency limit ${limit.name} allows ${standing.slots} at a time and is full (${heldBy(standing.holders)})`
      : `The concurrency limit ${limit.name} is switched off`
    if (limit.collision_strategy === 'CANCEL_NEW') {
      return replace(cancelled(context, `${full}.`), `${full}, and the deployment has new runs cancelled then.`, facts)
    }
    const seconds = settings.deployment_slot_wait_seconds
    return replace(awaitingConcurrencySlot(context, seconds), `${full}; this run is tried again in ${seconds} seconds.`, facts)
  },
  settle({ run, proposed, slots, settings, habit }) {
    const limit = run.deploymentLimit
    const standing = limit && slots.limit(limit.name)
    if (!standing || habit === 'brings') return undefined
    const seconds = leaseSeconds(limit, settings)
    const lease = standing.holders.includes(run.id) ? slots.renew(run.id, [limit.name], seconds) : slots.take([limit.name], run.id, seconds)
    return withDetails(proposed, { deployment_concurrency_lease_id: lease })
  },
})
