import { defineRule } from '../define-rule.ts'
import { heldBy } from '../holders.ts'
import type { FlowRunFacts } from '../rule.ts'
import { cancelled } from '../states.ts'
import { accept, replace } from '../verdict.ts'

/** CANCEL_NEW is judged at Pending, which a run nobody picks up never reaches: without this they would pile up as late. */
export const cancelLateRunsOfFullDeployments = defineRule<FlowRunFacts>({
  name: 'cancel-late-runs-of-full-deployments',
  from: ['SCHEDULED'],
  to: ['SCHEDULED'],
  decide(context) {
    const { run, proposed, slots } = context
    const limit = run.deploymentLimit
    if (proposed.name !== 'Late' || limit?.collision_strategy !== 'CANCEL_NEW') return accept
    const standing = slots.limit(limit.name)
    if (!standing || standing.free > 0) return accept
    const full = `The concurrency limit ${limit.name} allows ${standing.slots} at a time and is full (${heldBy(standing.holders)})`
    return replace(cancelled(context, `${full}.`), `${full}, and the deployment has new runs cancelled then.`, {
      limit: limit.name,
      slots: standing.slots,
      holders: standing.holders.slice(0, 10),
    })
  },
})
