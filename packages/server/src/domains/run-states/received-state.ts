import type { StateCreate } from '@millrace/contracts/state.ts'
import { nullableJsonText } from '../../lib/json.ts'
import type { ReceivedState } from '../../orchestration/states.ts'

/** Converts a state of a request. Its data stays JSON text from here on. */
export const toReceivedState = (state: StateCreate): ReceivedState => ({
  type: state.type,
  ...(state.name === undefined ? {} : { name: state.name }),
  ...(state.message === undefined ? {} : { message: state.message }),
  data: nullableJsonText(state.data),
  ...(state.state_details ? { state_details: state.state_details } : {}),
})
