import type { StateType } from '@millrace/contracts/state.ts'

const ended: readonly (StateType | null)[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED']

/** What makes sense to offer; the server's rules have the last word. */
export const possibleDeeds = (type: StateType | null) => ({
  isEnded: ended.includes(type),
  retry: ended.includes(type),
  cancel: !ended.includes(type) && type !== 'CANCELLING',
  suspend: type === 'RUNNING',
  resume: type === 'PAUSED',
})
