import { isTerminal } from '@millrace/contracts/state.ts'
import { anyType, defineRule, type FlowRunSnapshot, terminal } from '../rule.ts'
import { hasPersistedResult } from '../states.ts'
import { abort, accept, acceptWith, reject } from '../verdicts.ts'

/**
 * A run in a terminal state does not crash, pause or get cancelled, and does not run again if its result is persisted.
 * A run that leaves a terminal state starts from the beginning, so its pause keys are cleared.
 */
export const protectTerminalFlowRuns = defineRule<FlowRunSnapshot>({
  name: 'protect-terminal-flow-runs',
  from: terminal,
  to: anyType,
  decide({ run, current, proposed }) {
    if (!current) return accept
    const facts = { state_type: current.type, state_name: current.name }
    if (proposed.type === 'CRASHED' || proposed.type === 'PAUSED' || proposed.type === 'CANCELLING') {
      return abort(`This run has already ended as ${current.name} and cannot become ${proposed.name}.`, facts)
    }
    if (isTerminal(proposed.type)) return accept
    if (hasPersistedResult(current)) return reject('This run already completed with a persisted result; it does not run again.', facts)
    if (proposed.type === 'SCHEDULED' && run.deployment_id === null) {
      return abort('This run has no deployment, so no worker would pick it up if it were scheduled again.', { ...facts, deployment_id: null })
    }
    const retry_type = proposed.type === 'SCHEDULED' ? 'reschedule' : null
    return acceptWith<FlowRunSnapshot>({ empirical_policy: { ...run.empirical_policy, resuming: false, pause_keys: [], retry_type } })
  },
})
