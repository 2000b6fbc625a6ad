import { actionKind } from '../deed.ts'
import { proposeState } from '../propose-state.ts'

export const cancelFlowRun = actionKind('cancel-flow-run', (deed, tx) =>
  proposeState(deed, tx, { type: 'CANCELLING', message: `Cancelled by the automation "${deed.facts.automation.name}"` }),
)
