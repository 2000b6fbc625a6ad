import { describeHolders } from '../limits.ts'
import { defineRule, type FlowRunSnapshot } from '../rule.ts'
import { cancelled } from '../states.ts'
import { accept, replace } from '../verdicts.ts'

/** CANCEL_NEW is judged at Pending, which a run nobody picks up never reaches: without this they would pile up as late. */
export const cancelLateRunsOfFullDeployments = defineRule<FlowRunSnapshot>({
  name: 'cancel-late-runs-of-full-deployments',
  from: ['SCHEDULED'],
  to: ['SCHEDULED'],
  decide(context) {
    const { run, proposed, slots } = context
    const limit = run.deploymentLimit
    if (proposed.name !== 'Late' || limit?.collision_strategy !== 'CANCEL_NEW') return accept
    const usage = slots.usage(limit.name)
    if (!usage || usage.free > 0) return accept
    const full = `The concurrency limit ${limit.name} allows ${usage.slots} at a time and is full (${describeHolders(usage.holders)})`
    return replace(cancelled(context, `${full}.`), `${full}, and the deployment has new runs cancelled then.`, {
      limit: limit.name,
      slots: usage.slots,
      holders: usage.holders.slice(0, 10),
    })
  },
})
