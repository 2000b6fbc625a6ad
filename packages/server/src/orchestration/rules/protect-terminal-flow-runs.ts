import { isTerminal } from '@millrace/contracts/state.ts'
import { hasPersistedResult } from '../persisted-result.ts'
import { anyType, defineRule, type FlowRunSnapshot, terminal } from '../rule.ts'
import { abort, accept, acceptWith, reject } from '../verdicts.ts'

/**
 * What has ended is not crashed, paused or cancelled any more, and a kept result is not computed again.
 * Whatever else may leave its end does so with its pauses forgotten, for it runs from the beginning.
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
    if (hasPersistedResult(current)) return reject('This run has completed and its result is kept, so it does not run again.', facts)
    if (proposed.type === 'SCHEDULED' && run.deployment_id === null) {
      return abort('This run belongs to no deployment, so no worker would pick it up when it is scheduled again.', { ...facts, deployment_id: null })
    }
    const retry_type = proposed.type === 'SCHEDULED' ? 'reschedule' : null
    return acceptWith<FlowRunSnapshot>({ empirical_policy: { ...run.empirical_policy, resuming: false, pause_keys: [], retry_type } })
  },
})
