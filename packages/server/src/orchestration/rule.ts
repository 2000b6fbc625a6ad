import { type SetStateStatus, type StateDetails, type StateType, stateTypes, terminalTypes } from '@millrace/contracts/state.ts'
import type { Micros } from '../lib/time.ts'

/** A state as the rules see it. Times are microseconds; `data` is the JSON text that the client sent. */
export interface RunState {
  readonly id: string
  readonly type: StateType
  readonly name: string
  readonly timestamp: Micros
  readonly message: string | null
  readonly data: string | null
  /** In the wire format: times are RFC 3339 text. */
  readonly state_details: StateDetails
}

/** The fields of a run that rules and transitions use. Durations are microseconds. */
export interface RunSnapshot {
  readonly id: string
  readonly state: RunState | null
  readonly run_count: number
  readonly expected_start_time: Micros | null
  readonly next_scheduled_start_time: Micros | null
  readonly start_time: Micros | null
  readonly end_time: Micros | null
  readonly total_run_time: Micros
}

export interface FlowRunSnapshot extends RunSnapshot {
  /** Only the process that runs this attempt may report about the run. */
  readonly attempt: number
  readonly deployment_id: string | null
  readonly infrastructure_pid: string | null
  readonly parent_task_run_id: string | null
  readonly empirical_policy: FlowRunRetryPolicy
  /** Whether the deployment exists. A run outlives its deployment, and clients may send an id that never existed. */
  readonly deploymentExists: boolean
  /** The concurrency limit of the deployment. Null if it has none. */
  readonly deploymentLimit: DeploymentLimitSnapshot | null
}

export interface FlowRunRetryPolicy {
  readonly max_retries: number
  readonly retry_delay_seconds: number
  readonly retries: number | null
  readonly retry_delay: number | null
  /** Clients may send null for these two. It is kept until a rule sets a value. */
  readonly pause_keys: readonly string[] | null
  readonly resuming: boolean | null
  readonly retry_type: 'in_process' | 'reschedule' | null
}

export interface DeploymentLimitSnapshot {
  readonly limit_id: string
  readonly name: string
  readonly slots: number
  readonly collision_strategy: 'ENQUEUE' | 'CANCEL_NEW'
  readonly grace_period_seconds: number | null
}

export interface TaskRunSnapshot extends RunSnapshot {
  readonly flow_run_id: string | null
  readonly flow_run_run_count: number
  readonly tags: readonly string[]
  readonly empirical_policy: TaskRunRetryPolicy
  /** The flow run this task belongs to, when it has one. */
  readonly flowRun: { readonly state: RunState | null; readonly run_count: number } | null
  /** The newest unexpired cache entry under the proposed state's cache key. */
  readonly cached: RunState | null
}

export interface TaskRunRetryPolicy {
  readonly max_retries: number
  readonly retry_delay_seconds: number
  readonly retries: number | null
  /** Seconds, or seconds by attempt. */
  readonly retry_delay: number | readonly number[] | null
  readonly retry_jitter_factor: number | null
}

/** Usage of a limit at this point of the transaction, including slots acquired and released by earlier transitions of the batch. */
export interface LimitUsage {
  readonly slots: number
  readonly free: number
  /** Ids of the runs that hold a slot. */
  readonly holders: readonly string[]
  readonly active: boolean
}

/** The slots of concurrency limits, as rules use them. A slot in use is a lease, written in the transaction of the transition. */
export interface RunSlots {
  /** Usage of the named limit. Undefined if the limit does not exist. */
  usage(name: string): LimitUsage | undefined
  /** Acquires one slot of each limit. The lease lasts for `seconds` unless renewed, or until released if null. Returns the lease id. */
  acquire(names: readonly string[], holder: string, seconds: number | null): string
  /** Extends the lease of the holder to `seconds` from now, or until released if null. Returns the lease id. */
  renew(holder: string, names: readonly string[], seconds: number | null): string
  /** Releases the slots of these limits that the holder has, and `lease` if it belongs to the holder. */
  release(holder: string, names: readonly string[], lease?: string | null): void
}

/**
 * How a client manages the lease of its deployment slot. `renews`: it renews the lease while it runs, so an expired lease means that the client is gone.
 * `brings`: it acquires the slot itself before it proposes a state. Undefined: it does neither. The values are those of the header `x-service-slots`.
 */
export type LeaseMode = 'renews' | 'brings'

/** The settings that rules use. */
export interface RuleSettings {
  /** Delay of a run whose deployment has no free slot. */
  readonly deployment_slot_wait_seconds: number
  /** Duration of the lease of a deployment slot before its first renewal, unless the deployment sets a grace period. */
  readonly deployment_lease_seconds: number
  /** Wait time of a task run whose tag limit has no free slot. */
  readonly tag_slot_wait_seconds: number
  readonly cache_key_length_max: number
}

export const defaultRuleSettings: RuleSettings = {
  deployment_slot_wait_seconds: 30,
  deployment_lease_seconds: 300,
  tag_slot_wait_seconds: 30,
  cache_key_length_max: 2000,
}

export interface RuleContext<Run extends RunSnapshot = RunSnapshot> {
  readonly run: Run
  /** The run's state before the transition. */
  readonly current: RunState | null
  readonly proposed: RunState
  readonly now: Micros
  readonly slots: RunSlots
  readonly settings: RuleSettings
  readonly leaseMode?: LeaseMode | undefined
  newId(): string
  /** Uniform in [0, 1). */
  random(): number
}

/** Changes of a verdict to the run, besides its state. */
export type RunChanges<Run extends RunSnapshot = RunSnapshot> = Partial<
  Pick<Run, Extract<keyof Run, 'empirical_policy' | 'run_count' | 'flow_run_run_count'>>
>

/** A write outside of the run, in the transaction of the transition. */
export type Effect =
  /** Later task runs with the same cache key reuse the completed state. */
  | { readonly kind: 'cache'; readonly cache_key: string; readonly cache_expiration: string | null; readonly state_id: string }
  /** A deferred task run waits for a task worker. Retries come first. */
  | { readonly kind: 'enqueue'; readonly task_run_id: string; readonly retry: boolean }
  /** The input that a pause of an earlier attempt left under these keys is deleted. */
  | { readonly kind: 'delete-input'; readonly keys: readonly string[] }
  /** The parent's task run of a subflow enters the same state, by force. */
  | { readonly kind: 'parent'; readonly task_run_id: string; readonly state: RunState }

interface Explanation {
  /** One sentence that says why. */
  readonly reason: string
  /** The values that the rule compared. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/** `changes` apply before the run enters its state; `laterChanges` apply after it, so they affect the next transition only. */
interface WithRunChanges<Run extends RunSnapshot> {
  readonly changes?: RunChanges<Run>
  readonly laterChanges?: RunChanges<Run>
}

export type Verdict<Run extends RunSnapshot = RunSnapshot> =
  /** Continue with the next rule. `state` is the amended proposed state. */
  | ({ readonly kind: 'accept'; readonly state?: RunState; readonly effect?: Effect } & WithRunChanges<Run>)
  /** Write `state` instead of the proposed state, or nothing if it is null. */
  | ({ readonly kind: 'reject'; readonly state: RunState | null } & WithRunChanges<Run> & Explanation)
  | ({ readonly kind: 'wait'; readonly delay_seconds: number } & Explanation)
  | ({ readonly kind: 'abort' } & Explanation)

export interface Rule<Run extends RunSnapshot = RunSnapshot> {
  readonly name: string
  /** The current state types that the rule applies to. Null means no state yet. */
  readonly from: readonly (StateType | null)[]
  readonly to: readonly StateType[]
  /** Pure: reads the context and writes nothing. */
  decide(context: RuleContext<Run>): Verdict<Run>
  /** Acquires or releases slots once the transition is decided. `context.proposed` is the state to write; the result replaces it. */
  finalize?(context: RuleContext<Run>, status: SetStateStatus): RunState | undefined
  /** Run `finalize` also if another rule replaced the proposed state by one of another type. */
  readonly alwaysFinalize?: true
}

/** For `from`: every type, and no state. */
export const anyTypeOrNone: readonly (StateType | null)[] = [null, ...stateTypes]

/** For `from` and `to`: every type. */
export const anyType: readonly StateType[] = stateTypes

export const terminal: readonly StateType[] = terminalTypes

export const allTypesExcept = (...types: StateType[]): readonly StateType[] => stateTypes.filter((type) => !types.includes(type))

/** Freezes a rule. */
export const defineRule = <Run extends RunSnapshot = RunSnapshot>(rule: Rule<Run>): Rule<Run> => Object.freeze(rule)
