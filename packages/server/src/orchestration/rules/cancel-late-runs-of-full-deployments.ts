import { describeFullLimit, limitFacts } from '../limits.ts'
import { defineRule, type FlowRunSnapshot } from '../rule.ts'
import { cancelled } from '../states.ts'
import { accept, replace } from '../verdicts.ts'

/** CANCEL_NEW takes effect at Pending. A run that no worker picks up never gets there and would stay late, so it is cancelled here. */
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
    const full = describeFullLimit(limit.name, usage)
    return replace(cancelled(context, `${full}.`), `${full}; collision strategy CANCEL_NEW cancels new runs.`, limitFacts(limit.name, usage))
  },
})
