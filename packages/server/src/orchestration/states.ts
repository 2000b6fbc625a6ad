import type { StateDetails, StateType } from '@millrace/contracts/state.ts'
import { addSeconds, type Micros, sortableTime, toMicros } from '../lib/time.ts'
import type { RunState } from './rule.ts'

/** The source of ids and times for new states. Every rule context is one. */
export interface StateContext {
  readonly now: Micros
  newId(): string
}

/** A state that a client or a service proposes. `data` is JSON text. */
export interface ReceivedState {
  readonly type: StateType
  readonly name?: string | null
  readonly message?: string | null
  readonly data?: string | null
  readonly state_details?: Partial<StateDetails>
}

/** The name of a state that was sent without one. */
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

/** Scheduled without a time means now. An empty name is kept. */
export function createState(stateContext: StateContext, received: ReceivedState): RunState {
  const details = withDefaultDetails(received.state_details)
  if (received.type === 'SCHEDULED') details.scheduled_time ??= sortableTime(stateContext.now)
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
  createState(stateContext, { type: 'SCHEDULED', name, state_details: { scheduled_time: sortableTime(at) } })

/** No worker picked up the run in time. The scheduled time stays. */
export const late = (stateContext: StateContext, at: Micros): RunState => scheduled(stateContext, at, 'Late')

/** A suspended run is scheduled again for a worker. */
export const resuming = (stateContext: StateContext): RunState => scheduled(stateContext, stateContext.now, 'Resuming')

export const awaitingConcurrencySlot = (stateContext: StateContext, waitSeconds: number): RunState =>
  scheduled(stateContext, addSeconds(stateContext.now, waitSeconds), 'AwaitingConcurrencySlot')

/** The message and data of the failure are kept. */
export function awaitingRetry(stateContext: StateContext, delaySeconds: number, failure: RunState, lease?: string | null): RunState {
  return createState(stateContext, {
    type: 'SCHEDULED',
    name: 'AwaitingRetry',
    message: failure.message,
    data: failure.data,
    state_details: { scheduled_time: sortableTime(addSeconds(stateContext.now, delaySeconds)), deployment_concurrency_lease_id: lease },
  })
}

export const pending = (stateContext: StateContext): RunState => createState(stateContext, { type: 'PENDING' })

export const running = (stateContext: StateContext): RunState => createState(stateContext, { type: 'RUNNING' })

export const failed = (stateContext: StateContext, message: string): RunState => createState(stateContext, { type: 'FAILED', message })

export const crashed = (stateContext: StateContext, message: string): RunState => createState(stateContext, { type: 'CRASHED', message })

export const cancelling = (stateContext: StateContext, message?: string): RunState => createState(stateContext, { type: 'CANCELLING', message })

export const cancelled = (stateContext: StateContext, message?: string): RunState => createState(stateContext, { type: 'CANCELLED', message })

/** A task run of a paused flow run pauses with the same timeout. */
export function notReady(stateContext: StateContext, flowRunState: RunState): RunState {
  const { pause_timeout, pause_reschedule } = flowRunState.state_details
  return createState(stateContext, { type: 'PAUSED', name: 'NotReady', state_details: { pause_timeout, pause_reschedule } })
}

/** A copy of the state that an earlier task run completed with under the same cache key. */
export const cached = (stateContext: StateContext, earlier: RunState): RunState => ({ ...copyAsNew(stateContext, earlier), name: 'Cached' })

/** A copy with a new id and the current time. */
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

/** All details with defaults; unknown keys are dropped. Every object has the same shape, which keeps property access fast. */
export function withDefaultDetails(sent: Partial<StateDetails> = {}): StateDetails {
  return {
    flow_run_id: sent.flow_run_id ?? null,
    task_run_id: sent.task_run_id ?? null,
    child_flow_run_id: sent.child_flow_run_id ?? null,
    scheduled_time: canonicalTime(sent.scheduled_time),
    cache_key: sent.cache_key ?? null,
    cache_expiration: canonicalTime(sent.cache_expiration),
    deferred: sent.deferred === undefined ? false : sent.deferred,
    untrackable_result: sent.untrackable_result ?? false,
    pause_timeout: canonicalTime(sent.pause_timeout),
    pause_reschedule: sent.pause_reschedule ?? false,
    pause_key: sent.pause_key ?? null,
    run_input_keyset: sent.run_input_keyset ?? null,
    refresh_cache: sent.refresh_cache ?? null,
    retriable: sent.retriable ?? null,
    transition_id: sent.transition_id ?? null,
    task_parameters_id: sent.task_parameters_id ?? null,
    traceparent: sent.traceparent ?? null,
    deployment_concurrency_lease_id: sent.deployment_concurrency_lease_id ?? null,
  }
}

/** Several time formats are accepted and one is written, so that SQL can compare the stored texts. */
function canonicalTime(sent: string | null | undefined): string | null {
  return sent ? sortableTime(toMicros(sent)) : null
}

/**
 * Whether the data of a state references a stored result: an object of any `type` but `unpersisted`.
 * Strings and lists are client data, not references.
 */
export function referencesResult(state: RunState): boolean {
  const data = parseJsonObject(state.data)
  return data !== undefined && data.type !== 'unpersisted'
}

/** Whether the run would lose its result when it leaves this state. An empty object references nothing, but may be proposed in place of a result. */
export function hasPersistedResult(state: RunState): boolean {
  if (state.type !== 'COMPLETED') return false
  const data = parseJsonObject(state.data)
  return data !== undefined && data.type !== 'unpersisted' && Object.keys(data).length > 0
}

function parseJsonObject(text: string | null): Record<string, unknown> | undefined {
  // Data may be large; only objects are parsed.
  if (text === null || !/^\s*\{/.test(text)) return undefined
  return JSON.parse(text)
}

/** The data to store. A result of type `unpersisted` is part of the response and is not stored. */
export function dataToStore(state: RunState): string | null {
  // Parse only if the word occurs.
  if (!state.data?.includes('unpersisted')) return state.data
  return parseJsonObject(state.data)?.type === 'unpersisted' ? null : state.data
}
