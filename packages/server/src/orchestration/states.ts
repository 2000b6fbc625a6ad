import type { StateDetails, StateType } from '@millrace/contracts/state.ts'
import { addSeconds, formatTime, type Micros } from '../lib/time.ts'
import type { RunState } from './rule.ts'
import { withDefaultDetails } from './state-details.ts'

/** Where a new state gets its id and its time from; every rule context is one. */
export interface StateContext {
  readonly now: Micros
  newId(): string
}

/** A state as it comes in: `data` is its JSON text. */
export interface ReceivedState {
  readonly type: StateType
  readonly name?: string | null
  readonly message?: string | null
  readonly data?: string | null
  readonly state_details?: Partial<StateDetails>
}

/** What a state is called when nobody named it. */
export const defaultStateNames: Readonly<Record<StateType, string>> = {
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

/** A state from what a client or a service asks for. Scheduled without a time means now; an empty name is a name. */
export function createState(stateContext: StateContext, received: ReceivedState): RunState {
  const details = withDefaultDetails(received.state_details)
  if (received.type === 'SCHEDULED') details.scheduled_time ??= formatTime(stateContext.now)
  return {
    id: stateContext.newId(),
    type: received.type,
    name: received.name ?? defaultStateNames[received.type],
    timestamp: stateContext.now,
    message: received.message ?? null,
    data: received.data === undefined || received.data === 'null' ? null : received.data,
    state_details: details,
  }
}

export const scheduled = (stateContext: StateContext, at: Micros, name?: string): RunState =>
  createState(stateContext, { type: 'SCHEDULED', name, state_details: { scheduled_time: formatTime(at) } })

/** Nobody picked the run up in time; it stays scheduled for when it was. */
export const late = (stateContext: StateContext, at: Micros): RunState => scheduled(stateContext, at, 'Late')

/** A suspended run goes back to the workers. */
export const resuming = (stateContext: StateContext): RunState => scheduled(stateContext, stateContext.now, 'Resuming')

export const awaitingConcurrencySlot = (stateContext: StateContext, waitSeconds: number): RunState =>
  scheduled(stateContext, addSeconds(stateContext.now, waitSeconds), 'AwaitingConcurrencySlot')

/** Failed, with attempts left: what the failure said is carried along. */
export function awaitingRetry(stateContext: StateContext, delaySeconds: number, failure: RunState, lease?: string | null): RunState {
  return createState(stateContext, {
    type: 'SCHEDULED',
    name: 'AwaitingRetry',
    message: failure.message,
    data: failure.data,
    state_details: { scheduled_time: formatTime(addSeconds(stateContext.now, delaySeconds)), deployment_concurrency_lease_id: lease },
  })
}

export const pending = (stateContext: StateContext): RunState => createState(stateContext, { type: 'PENDING' })

export const running = (stateContext: StateContext): RunState => createState(stateContext, { type: 'RUNNING' })

export const failed = (stateContext: StateContext, message: string): RunState => createState(stateContext, { type: 'FAILED', message })

export const crashed = (stateContext: StateContext, message: string): RunState => createState(stateContext, { type: 'CRASHED', message })

export const cancelling = (stateContext: StateContext, message?: string): RunState => createState(stateContext, { type: 'CANCELLING', message })

export const cancelled = (stateContext: StateContext, message?: string): RunState => createState(stateContext, { type: 'CANCELLED', message })

/** A task whose flow run is paused waits with it, and no longer than it. */
export function notReady(stateContext: StateContext, flowRunState: RunState): RunState {
  const { pause_timeout, pause_reschedule } = flowRunState.state_details
  return createState(stateContext, { type: 'PAUSED', name: 'NotReady', state_details: { pause_timeout, pause_reschedule } })
}

/** The result of an earlier run under the same cache key. */
export const cached = (stateContext: StateContext, earlier: RunState): RunState => ({ ...copyAsNew(stateContext, earlier), name: 'Cached' })

/** The same state again, as a new one of now. */
export const copyAsNew = (stateContext: StateContext, state: RunState): RunState => ({
  ...state,
  id: stateContext.newId(),
  timestamp: stateContext.now,
})

export const withDetails = (state: RunState, details: Partial<StateDetails>): RunState => ({
  ...state,
  state_details: { ...state.state_details, ...details },
})

export const withName = (state: RunState, name: string): RunState => ({ ...state, name })
