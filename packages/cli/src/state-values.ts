import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { UsageError } from './errors.ts'

/** The list of the contracts would load TypeBox, which takes longer than most commands. */
const typeNames: Readonly<Record<StateType, string>> = {
  SCHEDULED: 'Scheduled',
  PENDING: 'Pending',
  RUNNING: 'Running',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
  CRASHED: 'Crashed',
  PAUSED: 'Paused',
  CANCELLING: 'Cancelling',
}

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

const allNames = new Map<string, NamedState>([
  ...(Object.keys(typeNames) as StateType[]).map((type): [string, NamedState] => [type.toLowerCase(), { type, name: undefined }]),
  ...Object.entries(otherNames).map(([name, type]): [string, NamedState] => [name.toLowerCase(), { type, name }]),
])

export const endedTypes: readonly StateType[] = ['COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED']

export const isEnded = (type: StateType | null | undefined): boolean => type != null && endedTypes.includes(type)

/** `Failed` for FAILED. */
export const stateTypeName = (type: StateType): string => typeNames[type]

/** Reads a state type or name in any case, such as `running`, `FAILED` or `Late`. */
export const parseState = (text: string): NamedState => allNames.get(text.toLowerCase()) ?? { type: undefined, name: text }

/** The filter for any of these types and names. */
export function stateCriteria(states: readonly string[]): NonNullable<FlowRunFilter['state']> {
  const parsed = states.map(parseState)
  const types = parsed.flatMap(({ type, name }) => (type && name === undefined ? [type] : []))
  const names = parsed.flatMap(({ name }) => name ?? [])
  return { operator: 'or_', ...(types.length > 0 && { type: { any_: types } }), ...(names.length > 0 && { name: { any_: names } }) }
}

/** The type and name of a state to set. */
export function stateToSet(text: string, name: string | undefined): { type: StateType; name: string } {
  const state = parseState(text)
  if (!state.type) throw new UsageError(`Unknown state "${text}". Use one of ${Object.values(typeNames).join(', ')}, and --name for another name.`)
  return { type: state.type, name: name ?? state.name ?? typeNames[state.type] }
}
