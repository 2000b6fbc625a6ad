import { isTerminal } from '@millrace/contracts/state.ts'
import { anyType, defineRule, type TaskRunSnapshot, terminal } from '../rule.ts'
import { hasPersistedResult, withName } from '../states.ts'
import { abort, accept, acceptWith, reject } from '../verdicts.ts'

/**
 * A task run in a terminal state does not crash, pause or get cancelled, and a persisted result stays.
 * A task run that runs again gets all its retries again. In a new attempt of its flow run the state is named Retrying.
 */
export const protectTerminalTaskRuns = defineRule<TaskRunSnapshot>({
  name: 'protect-terminal-task-runs',
  from: terminal,
  to: anyType,
  decide({ run, current, proposed }) {
    if (!current) return accept
    const facts = { state_type: current.type, state_name: current.name }
    if (proposed.type === 'CRASHED' || proposed.type === 'PAUSED' || proposed.type === 'CANCELLING') {
      return abort(`This task has already ended as ${current.name} and cannot become ${proposed.name}.`, facts)
    }
    if (hasPersistedResult(current)) return reject('This task already completed with a persisted result.', facts)
    if (isTerminal(proposed.type)) return accept
    const isNewFlowAttempt = proposed.type === 'RUNNING' && run.flowRun !== null && run.flow_run_run_count < run.flowRun.run_count
    return acceptWith<TaskRunSnapshot>({ run_count: 0 }, isNewFlowAttempt ? withName(proposed, 'Retrying') : undefined)
  },
})
