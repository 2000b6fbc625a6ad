import { actionKind } from '../deed.ts'
import { proposeState } from '../propose-state.ts'

export const changeFlowRunState = actionKind('change-flow-run-state', (deed, tx) => {
  const { state, name, message, force } = deed.action
  const said = message || `State changed by the automation "${deed.facts.automation.name}"`
  return proposeState(deed, tx, { type: state, ...(name === null ? {} : { name }), message: said }, force)
})
