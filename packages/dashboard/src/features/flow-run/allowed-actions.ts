import type { StateType } from '@millrace/contracts/state.ts'

const finalStates: readonly (StateType | null)[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED']

export const isFinalState = (type: StateType | null): boolean => finalStates.includes(type)

/** Actions to offer in a state. Orchestration rules may still reject them. */
export const allowedActions = (type: StateType | null) => ({
  retry: isFinalState(type),
  cancel: !isFinalState(type) && type !== 'CANCELLING',
  suspend: type === 'RUNNING',
  resume: type === 'PAUSED',
})
