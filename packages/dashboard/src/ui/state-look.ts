import type { StateType } from '@millrace/contracts/state.ts'

/** How a state looks: a hue, a shape and a word, so that none of the three has to be seen to tell it. */
export type StateLook = 'completed' | 'failed' | 'crashed' | 'running' | 'pending' | 'scheduled' | 'late' | 'paused' | 'cancelled' | 'cancelling'

const byType: Record<StateType, StateLook> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CRASHED: 'crashed',
  RUNNING: 'running',
  PENDING: 'pending',
  SCHEDULED: 'scheduled',
  PAUSED: 'paused',
  CANCELLED: 'cancelled',
  CANCELLING: 'cancelling',
}

/** `Late` is a name of the type SCHEDULED, and the one name that people look for by colour. */
export function stateLook(type: StateType | null | undefined, name?: string | null): StateLook {
  if (name === 'Late') return 'late'
  return type ? byType[type] : 'pending'
}

const words: Record<StateLook, string> = {
  completed: 'Completed',
  failed: 'Failed',
  crashed: 'Crashed',
  running: 'Running',
  pending: 'Pending',
  scheduled: 'Scheduled',
  late: 'Late',
  paused: 'Paused',
  cancelled: 'Cancelled',
  cancelling: 'Cancelling',
}

export const lookWord = (look: StateLook): string => words[look]

/** Trouble at the foot of every stack, where heights can be compared; what has not happened yet at the top. */
export const stackOrder: readonly StateLook[] = [
  'failed',
  'crashed',
  'late',
  'cancelling',
  'cancelled',
  'running',
  'pending',
  'paused',
  'completed',
  'scheduled',
]

export const stateColour = (look: StateLook): string => `var(--${look})`
export const stateFill = (look: StateLook): string => `var(--${look}-fill)`
export const stateWash = (look: StateLook): string => `var(--${look}-wash)`
