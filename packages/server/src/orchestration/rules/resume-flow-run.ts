import { formatTime, toMicros } from '../../lib/time.ts'
import { anyType, defineRule, type FlowRunSnapshot, type RuleContext, type Verdict } from '../rule.ts'
import { failed } from '../states.ts'
import { accept, reject, replace } from '../verdicts.ts'

/**
 * A paused run runs, is scheduled or ends; after the pause timeout it fails.
 * The run is marked as resuming even if the proposal is rejected. The mark applies after this transition (`laterChanges`), so that only the Running
 * state that a suspended run resumes into does not count as another attempt.
 * A run that waits in its process and becomes Scheduled starts again from the beginning, because its process has ended: it passes its pauses again.
 */
export const resumeFlowRun = defineRule<FlowRunSnapshot>({
  name: 'resume-flow-run',
  from: ['PAUSED'],
  to: anyType,
  decide(context) {
    const verdict = decideResume(context)
    const entered = verdict.kind === 'accept' ? context.proposed.type : verdict.state?.type
    const startsAgain = entered === 'SCHEDULED' && !context.current?.state_details.pause_reschedule
    const changes = startsAgain ? ({ resuming: false, pause_keys: [], retry_type: 'reschedule' } as const) : { resuming: true }
    return { ...verdict, laterChanges: { empirical_policy: { ...context.run.empirical_policy, ...changes } } }
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
    return reject(`This run is ${current.name} and has no deployment, so no worker can start it again.`, { ...facts, deployment_id: null })
  }
  // A run that waits in its process must be stopped there, even after the pause timeout.
  if (proposed.type === 'CANCELLING' || !pause_timeout || toMicros(pause_timeout) >= now) return accept
  const timeout = formatTime(toMicros(pause_timeout))
  const expired = `The pause of this run timed out at ${timeout}`
  return replace(failed(context, `${expired}: it was not resumed in time.`), `${expired}: it can no longer resume.`, {
    ...facts,
    pause_timeout: timeout,
  })
}
