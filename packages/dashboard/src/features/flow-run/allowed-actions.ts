import { isEnded } from '@millrace/client/vocabulary/states.ts'
import type { StateType } from '@millrace/contracts/state.ts'

/** Actions to offer in a state. Orchestration rules may still reject them. */
export const allowedActions = (type: StateType | null) => ({
  retry: isEnded(type),
  cancel: !isEnded(type) && type !== 'CANCELLING',
  suspend: type === 'RUNNING',
  resume: type === 'PAUSED',
})
