import type { StateType } from '@millrace/contracts/state.ts'

/** Appearance of a state. Each has a colour, a shape and a label, so that no single one is needed to recognise it. */
export type DisplayState = 'completed' | 'failed' | 'crashed' | 'running' | 'pending' | 'scheduled' | 'late' | 'paused' | 'cancelled' | 'cancelling'

const displayStateByType: Record<StateType, DisplayState> = {
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

/** `Late` is a name of the type SCHEDULED. It has its own appearance. */
export function toDisplayState(type: StateType | null | undefined, name?: string | null): DisplayState {
  if (name === 'Late') return 'late'
  return type ? displayStateByType[type] : 'pending'
}

const labels: Record<DisplayState, string> = {
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

export const displayStateLabel = (displayState: DisplayState): string => labels[displayState]

/** From bottom to top: failures at the baseline, where heights are comparable, future runs on top. */
export const stackOrder: readonly DisplayState[] = [
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

export const stateColour = (displayState: DisplayState): string => `var(--${displayState})`
export const stateFill = (displayState: DisplayState): string => `var(--${displayState}-fill)`
export const stateWash = (displayState: DisplayState): string => `var(--${displayState}-wash)`
