import type { StateType } from '@millrace/contracts/state.ts'

const finalStates: readonly (StateType | null)[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED']

/** Actions to offer in a state. Orchestration rules may still reject them. */
export const allowedActions = (type: StateType | null) => ({
  isEnded: finalStates.includes(type),
  retry: finalStates.includes(type),
  cancel: !finalStates.includes(type) && type !== 'CANCELLING',
  suspend: type === 'RUNNING',
  resume: type === 'PAUSED',
})
