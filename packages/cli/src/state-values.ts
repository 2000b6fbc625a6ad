import { parseState, stateTypeName, stateTypes } from '@millrace/client/vocabulary/states.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { UsageError } from './errors.ts'

/** The type and name of a state to set. */
export function stateToSet(text: string, name: string | undefined): { type: StateType; name: string } {
  const state = parseState(text)
  if (!state.type)
    throw new UsageError(`Unknown state "${text}". Use one of ${stateTypes.map(stateTypeName).join(', ')}, and --name for another name.`)
  return { type: state.type, name: name ?? state.name ?? stateTypeName(state.type) }
}
