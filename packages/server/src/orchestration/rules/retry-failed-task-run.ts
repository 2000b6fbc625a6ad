import { applyJitter } from '../../lib/jitter.ts'
import { defineRule, type TaskRunRetryPolicy, type TaskRunSnapshot } from '../rule.ts'
import { awaitingRetry } from '../states.ts'
import { accept, replace } from '../verdicts.ts'

/** A failed task run with retries left becomes Scheduled, unless its state says `retriable: false`. */
export const retryFailedTaskRun = defineRule<TaskRunSnapshot>({
  name: 'retry-failed-task-run',
  from: ['RUNNING'],
  to: ['FAILED'],
  decide(context) {
    const { run, proposed } = context
    const policy = run.empirical_policy
    const { retries } = policy
    if (proposed.state_details.retriable === false || retries === null || run.run_count > retries) return accept
    const baseDelay = retryDelaySeconds(policy, run.run_count)
    const delay = policy.retry_jitter_factor && baseDelay > 0 ? applyJitter(baseDelay, policy.retry_jitter_factor, context.random()) : baseDelay
    return replace<TaskRunSnapshot>(
      awaitingRetry(context, delay, proposed),
      `Attempt ${run.run_count} of ${retries + 1} failed; the next one starts in ${Math.round(delay * 10) / 10} seconds.`,
      { run_count: run.run_count, retries, delay_seconds: delay },
    )
  },
})

/** A list has one delay per attempt; the last one applies to all further attempts. */
function retryDelaySeconds({ retry_delay }: TaskRunRetryPolicy, attempt: number): number {
  if (retry_delay === null || typeof retry_delay === 'number') return retry_delay ?? 0
  return retry_delay[Math.min(Math.max(attempt, 1), retry_delay.length) - 1] ?? 0
}
