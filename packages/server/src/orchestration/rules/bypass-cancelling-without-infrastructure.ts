import { defineRule, type FlowRunSnapshot } from '../rule.ts'
import { cancelled } from '../states.ts'
import { accept, replace } from '../verdicts.ts'

/**
 * A run is in Cancelling while its infrastructure is stopped. A run without infrastructure is cancelled immediately, because no worker would
 * confirm the cancellation. A run that awaits its retry may still have a process; in that case it has an `infrastructure_pid`.
 */
export const bypassCancellingWithoutInfrastructure = defineRule<FlowRunSnapshot>({
  name: 'bypass-cancelling-without-infrastructure',
  from: ['SCHEDULED', 'PAUSED'],
  to: ['CANCELLING'],
  decide(context) {
    const { run, current } = context
    const reason = current && describeIdleRun(current.type, current.name, run.infrastructure_pid, current.state_details.pause_reschedule ?? false)
    if (!reason) return accept
    return replace(cancelled(context), `${reason}; there is no infrastructure to stop, so it is cancelled immediately.`, {
      state_name: current.name,
      infrastructure_pid: run.infrastructure_pid,
    })
  },
})

function describeIdleRun(type: string, name: string, pid: string | null, suspended: boolean): string | undefined {
  if (name === 'Resuming') return 'This run is about to resume'
  if (type === 'SCHEDULED' && !pid) return 'This run has not started'
  if (type === 'PAUSED' && suspended) return 'This run is suspended'
  return undefined
}
