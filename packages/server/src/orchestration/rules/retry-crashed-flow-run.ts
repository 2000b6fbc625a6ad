import { defineRule, type FlowRunSnapshot } from '../rule.ts'
import { awaitingRetry } from '../states.ts'
import { acceptWith, replace } from '../verdicts.ts'

/**
 * A crashed flow run with retries left becomes Scheduled, and a worker starts it again. Unlike a failed run it has no process that retries, so it
 * needs a deployment. An attempt that crashed while it was pending counts too: otherwise a run that kills its worker would retry without end.
 */
export const retryCrashedFlowRun = defineRule<FlowRunSnapshot>({
  name: 'retry-crashed-flow-run',
  from: ['PENDING', 'RUNNING'],
  to: ['CRASHED'],
  decide(context) {
    const { run, current, proposed } = context
    const policy = run.empirical_policy
    const { retries, retry_delay } = policy
    const attempt = current?.type === 'PENDING' ? run.run_count + 1 : run.run_count
    if (!run.deploymentExists || retries === null || attempt > retries) {
      return acceptWith<FlowRunSnapshot>({ empirical_policy: { ...policy, retry_type: null } })
    }
    const delay = retry_delay ?? 0
    return replace<FlowRunSnapshot>(
      awaitingRetry(context, delay, proposed),
      `Attempt ${attempt} of ${retries + 1} crashed; the next one starts in ${delay} seconds.`,
      { run_count: attempt, retries, retry_delay },
      { run_count: attempt, empirical_policy: { ...policy, resuming: false, pause_keys: [], retry_type: 'reschedule' } },
    )
  },
})
