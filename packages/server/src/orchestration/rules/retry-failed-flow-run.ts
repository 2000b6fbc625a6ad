import { defineRule, type FlowRunSnapshot } from '../rule.ts'
import { awaitingRetry } from '../states.ts'
import { acceptWith, replace } from '../verdicts.ts'

/**
 * A failed flow run with retries left becomes Scheduled. `run_count` includes the attempt that failed.
 * The same process retries, so it keeps its slot; its pause keys are cleared.
 */
export const retryFailedFlowRun = defineRule<FlowRunSnapshot>({
  name: 'retry-failed-flow-run',
  from: ['RUNNING'],
  to: ['FAILED'],
  decide(context) {
    const { run, current, proposed } = context
    const policy = run.empirical_policy
    const { retries, retry_delay } = policy
    // Cleared so that the run can later be rescheduled on new infrastructure.
    if (retries === null || run.run_count > retries) return acceptWith<FlowRunSnapshot>({ empirical_policy: { ...policy, retry_type: null } })
    const delay = retry_delay ?? 0
    const state = awaitingRetry(context, delay, proposed, current?.state_details.deployment_concurrency_lease_id)
    return replace<FlowRunSnapshot>(
      state,
      `Attempt ${run.run_count} of ${retries + 1} failed; the next one starts in ${delay} seconds.`,
      { run_count: run.run_count, retries, retry_delay },
      { empirical_policy: { ...policy, resuming: false, pause_keys: [], retry_type: 'in_process' } },
    )
  },
})
