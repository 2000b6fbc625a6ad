import { anyType, defineRule, type FlowRunSnapshot, type RunState } from '../rule.ts'
import { accept } from '../verdicts.ts'

/**
 * Releases the slot of a run that is not pending, running or cancelling.
 * A retry in the same process keeps the slot: the process renews the lease until it retries, and would be cancelled without it.
 * A rescheduled run has no such process.
 */
export const releaseDeploymentSlot = defineRule<FlowRunSnapshot>({
  name: 'release-deployment-slot',
  from: anyType,
  to: anyType,
  alwaysFinalize: true,
  decide: () => accept,
  finalize({ run, current, proposed, slots }, status) {
    if (run.deployment_id === null || holdsSlot(proposed)) return undefined
    if (status === 'REJECT' && proposed.name === 'AwaitingRetry' && run.empirical_policy.retry_type !== 'reschedule') return undefined
    const lease = current?.state_details.deployment_concurrency_lease_id
    if (!run.deploymentLimit && !lease) return undefined
    // A run that awaits its retry is SCHEDULED and may still have the slot; if it ends from there, the slot is released too.
    if (current && (holdsSlot(current) || proposed.type !== 'SCHEDULED')) {
      slots.release(run.id, run.deploymentLimit ? [run.deploymentLimit.name] : [], lease)
    }
    return undefined
  },
})

const holdsSlot = ({ type }: RunState): boolean => type === 'PENDING' || type === 'RUNNING' || type === 'CANCELLING'
