import { toMicros } from '../../lib/time.ts'
import { anyType, defineRule, type FlowRunSnapshot, type RuleContext, type Verdict } from '../rule.ts'
import { failed } from '../states.ts'
import { accept, reject, replace } from '../verdicts.ts'

/**
 * A paused run starts again, is scheduled again or ends; a pause that lasted too long ends in failure.
 * From here on it counts as resuming, whatever became of the proposal: the note is made after the count of this transition,
 * so that only the run that a suspended one resumes into is not counted as another attempt.
 */
export const resumeFlowRun = defineRule<FlowRunSnapshot>({
  name: 'resume-flow-run',
  from: ['PAUSED'],
  to: anyType,
  decide(context) {
    return { ...decideResume(context), laterChanges: { empirical_policy: { ...context.run.empirical_policy, resuming: true } } }
  },
})

function decideResume(context: RuleContext<FlowRunSnapshot>): Extract<Verdict, { kind: 'accept' | 'reject' }> {
  const { run, current, proposed, now } = context
  if (!current) return accept
  const facts = { state_name: current.name, proposed_type: proposed.type }
  if (proposed.type === 'PENDING' || proposed.type === 'PAUSED') {
    return reject(`This run is ${current.name}; it can run, be scheduled or end, but not become ${proposed.name}.`, facts)
  }
  const { pause_reschedule, pause_timeout } = current.state_details
  if (pause_reschedule && run.deployment_id === null) {
    return reject(`This run was ${current.name} and belongs to no deployment, so nothing can start it again.`, { ...facts, deployment_id: null })
  }
  // A run that waits inside its process has to be stopped there, however long it has waited.
  if (proposed.type === 'CANCELLING' || !pause_timeout || toMicros(pause_timeout) >= now) return accept
  const over = `This run was ${current.name} until ${pause_timeout} at the latest`
  return replace(failed(context, `${over} and was not resumed in time.`), `${over} and can no longer resume.`, { ...facts, pause_timeout })
}
