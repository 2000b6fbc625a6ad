import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import type { StateType } from '@millrace/contracts/state.ts'

/** What people call the types of states. A program that only needs names would load TypeBox with the list of the contracts. */
const typeNames: Readonly<Record<StateType, string>> = {
  SCHEDULED: 'Scheduled',
  PENDING: 'Pending',
  RUNNING: 'Running',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  CRASHED: 'Crashed',
  PAUSED: 'Paused',
  CANCELLING: 'Cancelling',
  CANCELLED: 'Cancelled',
}

export const stateTypes = Object.keys(typeNames) as readonly StateType[]

/** `Failed` for FAILED. */
export const stateTypeName = (type: StateType): string => typeNames[type]

export const endedTypes: readonly StateType[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED']

export const isEnded = (type: StateType | null | undefined): boolean => type != null && endedTypes.includes(type)

/** Types that a person can set. A run is cancelled by an action of its own. */
export const settableTypes: readonly StateType[] = [...endedTypes, ...stateTypes.filter((type) => !isEnded(type) && type !== 'CANCELLING')]

/** Names of states to choose from: all types and Late, those that are looked for most often first. */
export const stateChoices: readonly string[] = [
  ...(['RUNNING', 'FAILED', 'CRASHED'] as const).map(stateTypeName),
  'Late',
  ...(['COMPLETED', 'SCHEDULED', 'PENDING', 'PAUSED', 'CANCELLING', 'CANCELLED'] as const).map(stateTypeName),
]

/** Names that the server and the clients give to states of a type. */
const otherNames: Readonly<Record<string, StateType>> = {
  Late: 'SCHEDULED',
  AwaitingRetry: 'SCHEDULED',
  AwaitingConcurrencySlot: 'SCHEDULED',
  Resuming: 'SCHEDULED',
  Submitting: 'PENDING',
  InfrastructurePending: 'PENDING',
  Retrying: 'RUNNING',
  Cached: 'COMPLETED',
  RolledBack: 'COMPLETED',
  TimedOut: 'FAILED',
  Suspended: 'PAUSED',
}

export interface NamedState {
  /** Undefined if the name is not one of those that the server knows. */
  readonly type: StateType | undefined
  /** Undefined if the text names a type. */
  readonly name: string | undefined
}

const states: readonly (readonly [text: string, state: NamedState])[] = [
  ...stateTypes.map((type) => [stateTypeName(type), { type, name: undefined }] as const),
  ...Object.entries(otherNames).map(([name, type]) => [name, { type, name }] as const),
]
const statesByText = new Map(states)
const statesInAnyCase = new Map(states.map(([text, state]) => [text.toLowerCase(), state]))

/** The state that a text names exactly. */
export const stateOf = (text: string): NamedState => statesByText.get(text) ?? { type: undefined, name: text }

/** Reads a state type or name in any case, such as `running`, `FAILED` or `Late`. */
export const parseState = (text: string): NamedState => statesInAnyCase.get(text.toLowerCase()) ?? { type: undefined, name: text }

/** The filter for any of these types and names. */
export function stateCriteria(wanted: readonly NamedState[]): NonNullable<FlowRunFilter['state']> {
  const types = wanted.flatMap(({ type, name }) => (type && name === undefined ? [type] : []))
  const names = wanted.flatMap(({ name }) => name ?? [])
  return { operator: 'or_', ...(types.length > 0 && { type: { any_: types } }), ...(names.length > 0 && { name: { any_: names } }) }
}
