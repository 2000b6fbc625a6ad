import { stateTypeName } from '@millrace/client/vocabulary/states.ts'
import type { StateType } from '@millrace/contracts/state.ts'

/** Appearance of a state. Each has a colour, a shape and a label, so that no single one is needed to recognise it. */
export type DisplayState = Lowercase<StateType> | 'late'

/** `Late` is a name of the type SCHEDULED. It has its own appearance. */
export function toDisplayState(type: StateType | null | undefined, name?: string | null): DisplayState {
  if (name === 'Late') return 'late'
  return type ? (type.toLowerCase() as Lowercase<StateType>) : 'pending'
}

export const displayStateLabel = (displayState: DisplayState): string =>
  displayState === 'late' ? 'Late' : stateTypeName(displayState.toUpperCase() as StateType)

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
