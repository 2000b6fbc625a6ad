import { actionKind } from '../action-context.ts'
import { proposeState } from '../set-flow-run-state.ts'

export const cancelFlowRun = actionKind('cancel-flow-run', (actionContext, tx) =>
  proposeState(actionContext, tx, { type: 'CANCELLING', message: `Cancelled by the automation "${actionContext.facts.automation.name}"` }),
)
