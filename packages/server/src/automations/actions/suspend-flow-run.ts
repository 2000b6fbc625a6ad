import { addSeconds, formatTime } from '../../lib/time.ts'
import { actionKind } from '../action-context.ts'
import { proposeState } from '../set-flow-run-state.ts'

/** How long a suspended run may wait to be resumed before it fails. */
const timeoutSeconds = 3600

export const suspendFlowRun = actionKind('suspend-flow-run', (actionContext, tx) => {
  const { clock, newId } = actionContext.context
  return proposeState(actionContext, tx, {
    type: 'PAUSED',
    name: 'Suspended',
    message: `Suspended by the automation "${actionContext.facts.automation.name}"`,
    state_details: { pause_timeout: formatTime(addSeconds(clock.now(), timeoutSeconds)), pause_reschedule: true, pause_key: newId() },
  })
})
