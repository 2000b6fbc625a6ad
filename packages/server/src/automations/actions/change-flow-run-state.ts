import { actionKind } from '../action-context.ts'
import { proposeState } from '../set-flow-run-state.ts'

export const changeFlowRunState = actionKind('change-flow-run-state', (actionContext, tx) => {
  const { state, name, message, force } = actionContext.action
  const said = message || `State changed by the automation "${actionContext.facts.automation.name}"`
  return proposeState(actionContext, tx, { type: state, ...(name === null ? {} : { name }), message: said }, force)
})
