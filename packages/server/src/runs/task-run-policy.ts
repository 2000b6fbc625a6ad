import type { TaskRunPolicy } from '@millrace/contracts/task-run.ts'
import type { TaskRunRetryPolicy } from '../orchestration/rule.ts'

/** Adds the fields that clients expect. The two deprecated fields apply if the new ones are not set. */
export const withDefaultTaskPolicy = (policy: TaskRunPolicy): TaskRunRetryPolicy => ({
  max_retries: policy.max_retries ?? 0,
  retry_delay_seconds: policy.retry_delay_seconds ?? 0,
  retries: policy.retries || policy.max_retries || (policy.retries ?? null),
  retry_delay: nonEmptyDelay(policy.retry_delay) || policy.retry_delay_seconds || (policy.retry_delay ?? null),
  retry_jitter_factor: policy.retry_jitter_factor ?? null,
})

/** An empty list means no delay. */
const nonEmptyDelay = (delay: TaskRunPolicy['retry_delay']) => (Array.isArray(delay) && delay.length === 0 ? null : delay)
