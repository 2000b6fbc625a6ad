import { addSeconds, formatTime } from '../../lib/time.ts'
import { actionKind } from '../deed.ts'
import { proposeState } from '../propose-state.ts'

/** How long a suspended run may wait to be resumed before it fails. */
const timeoutSeconds = 3600

export const suspendFlowRun = actionKind('suspend-flow-run', (deed, tx) => {
  const { clock, newId } = deed.context
  return proposeState(deed, tx, {
    type: 'PAUSED',
    name: 'Suspended',
    message: `Suspended by the automation "${deed.facts.automation.name}"`,
    state_details: { pause_timeout: formatTime(addSeconds(clock.now(), timeoutSeconds)), pause_reschedule: true, pause_key: newId() },
  })
})
