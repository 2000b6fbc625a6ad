import type { StateDetails, StateType } from '@millrace/contracts/state.ts'
import { addSeconds, formatTime, type Micros } from '../lib/time.ts'
import type { RunState } from './rule.ts'
import { completeDetails } from './state-details.ts'

/** Where a new state gets its id and its time from; every rule context is one. */
export interface StateMaker {
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
export const defaultNames: Readonly<Record<StateType, string>> = {
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
export function stateFromCreate(maker: StateMaker, received: ReceivedState): RunState {
  const details = completeDetails(received.state_details)
  if (received.type === 'SCHEDULED') details.scheduled_time ??= formatTime(maker.now)
  return {
    id: maker.newId(),
    type: received.type,
    name: received.name ?? defaultNames[received.type],
    timestamp: maker.now,
    message: received.message ?? null,
    data: received.data === undefined || received.data === 'null' ? null : received.data,
    state_details: details,
  }
}

export const scheduled = (maker: StateMaker, at: Micros, name?: string): RunState =>
  stateFromCreate(maker, { type: 'SCHEDULED', name, state_details: { scheduled_time: formatTime(at) } })

/** Nobody picked the run up in time; it stays scheduled for when it was. */
export const late = (maker: StateMaker, at: Micros): RunState => scheduled(maker, at, 'Late')

/** A suspended run goes back to the workers. */
export const resuming = (maker: StateMaker): RunState => scheduled(maker, maker.now, 'Resuming')

export const awaitingConcurrencySlot = (maker: StateMaker, waitSeconds: number): RunState =>
  scheduled(maker, addSeconds(maker.now, waitSeconds), 'AwaitingConcurrencySlot')

/** Failed, with attempts left: what the failure said is carried along. */
export function awaitingRetry(maker: StateMaker, delaySeconds: number, failure: RunState, lease?: string | null): RunState {
  return stateFromCreate(maker, {
    type: 'SCHEDULED',
    name: 'AwaitingRetry',
    message: failure.message,
    data: failure.data,
    state_details: { scheduled_time: formatTime(addSeconds(maker.now, delaySeconds)), deployment_concurrency_lease_id: lease },
  })
}

export const pending = (maker: StateMaker): RunState => stateFromCreate(maker, { type: 'PENDING' })

export const running = (maker: StateMaker): RunState => stateFromCreate(maker, { type: 'RUNNING' })

export const failed = (maker: StateMaker, message: string): RunState => stateFromCreate(maker, { type: 'FAILED', message })

export const crashed = (maker: StateMaker, message: string): RunState => stateFromCreate(maker, { type: 'CRASHED', message })

export const cancelling = (maker: StateMaker, message?: string): RunState => stateFromCreate(maker, { type: 'CANCELLING', message })

export const cancelled = (maker: StateMaker, message?: string): RunState => stateFromCreate(maker, { type: 'CANCELLED', message })

/** A task whose flow run is paused waits with it, and no longer than it. */
export function notReady(maker: StateMaker, flowRunState: RunState): RunState {
  const { pause_timeout, pause_reschedule } = flowRunState.state_details
  return stateFromCreate(maker, { type: 'PAUSED', name: 'NotReady', state_details: { pause_timeout, pause_reschedule } })
}

/** The result of an earlier run under the same cache key. */
export const cached = (maker: StateMaker, earlier: RunState): RunState => ({ ...freshCopy(maker, earlier), name: 'Cached' })

/** The same state again, as a new one of now. */
export const freshCopy = (maker: StateMaker, state: RunState): RunState => ({ ...state, id: maker.newId(), timestamp: maker.now })

export const withDetails = (state: RunState, details: Partial<StateDetails>): RunState => ({
  ...state,
  state_details: { ...state.state_details, ...details },
})

export const renamed = (state: RunState, name: string): RunState => ({ ...state, name })
