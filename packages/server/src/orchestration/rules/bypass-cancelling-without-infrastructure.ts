import { defineRule, type FlowRunSnapshot } from '../rule.ts'
import { cancelled } from '../states.ts'
import { accept, replace } from '../verdicts.ts'

/**
 * Cancelling exists to stop infrastructure. Where none is running the run is cancelled at once, for nobody would ever confirm it.
 * A run that awaits its retry may still have its process: then it has an `infrastructure_pid`.
 */
export const bypassCancellingWithoutInfrastructure = defineRule<FlowRunSnapshot>({
  name: 'bypass-cancelling-without-infrastructure',
  from: ['SCHEDULED', 'PAUSED'],
  to: ['CANCELLING'],
  decide(context) {
    const { run, current } = context
    const why = current && describeIdleRun(current.type, current.name, run.infrastructure_pid, current.state_details.pause_reschedule ?? false)
    if (!why) return accept
    return replace(cancelled(context), `${why}, so there is nothing to stop: it is cancelled at once.`, {
      state_name: current.name,
      infrastructure_pid: run.infrastructure_pid,
    })
  },
})

function describeIdleRun(type: string, name: string, pid: string | null, suspended: boolean): string | undefined {
  if (name === 'Resuming') return 'This run is about to resume and has no infrastructure yet'
  if (type === 'SCHEDULED' && !pid) return 'This run has not started'
  if (type === 'PAUSED' && suspended) return 'This run is suspended and has no infrastructure'
  return undefined
}
