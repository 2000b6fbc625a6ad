import { anyType, defineRule, type FlowRunSnapshot, type RunState } from '../rule.ts'
import { accept } from '../verdicts.ts'

/**
 * A run that neither starts, runs nor is being stopped gives its slot back.
 * Except for a retry that the server itself ordered: the same process goes on renewing the lease until then, and would be cancelled if it were gone.
 * A run that is rescheduled has no such process.
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
    // A run that awaits its retry is SCHEDULED and still has the slot; should it end there, nobody else would give it back.
    if (current && (holdsSlot(current) || proposed.type !== 'SCHEDULED')) {
      slots.release(run.id, run.deploymentLimit ? [run.deploymentLimit.name] : [], lease)
    }
    return undefined
  },
})

const holdsSlot = ({ type }: RunState): boolean => type === 'PENDING' || type === 'RUNNING' || type === 'CANCELLING'
