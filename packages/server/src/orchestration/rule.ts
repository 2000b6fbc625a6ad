import { type SetStateStatus, type StateDetails, type StateType, stateTypes, terminalTypes } from '@millrace/contracts/state.ts'
import type { Micros } from '../lib/time.ts'

/** A state as the orchestrator sees it: times are microseconds, `data` is JSON text as the client sent it. */
export interface RunState {
  readonly id: string
  readonly type: StateType
  readonly name: string
  readonly timestamp: Micros
  readonly message: string | null
  readonly data: string | null
  /** As on the wire: its times are RFC 3339 text. */
  readonly state_details: StateDetails
}

/** What rules and bookkeeping know of any run. Durations are microseconds. */
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
  readonly deployment_id: string | null
  readonly infrastructure_pid: string | null
  readonly parent_task_run_id: string | null
  readonly empirical_policy: FlowRunRetryPolicy
  /** Whether there is a deployment of that id: runs outlive theirs, and may be created for one that never was. */
  readonly deploymentExists: boolean
  /** The limit of the run's deployment, when it has one. */
  readonly deploymentLimit: DeploymentLimitSnapshot | null
}

export interface FlowRunRetryPolicy {
  readonly max_retries: number
  readonly retry_delay_seconds: number
  readonly retries: number | null
  readonly retry_delay: number | null
  /** Clients may send null for these two; it is kept until a rule has something to note. */
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

/** How a limit stands at this point of the transaction, everything taken and given back before included. */
export interface LimitUsage {
  readonly slots: number
  readonly free: number
  /** Ids of the runs that hold a slot. */
  readonly holders: readonly string[]
  readonly active: boolean
}

/** Slots are leases; the ports say what is free and take one in the transition's own transaction. */
export interface RunSlots {
  /** How a limit by this name stands: undefined when there is no such limit. */
  usage(name: string): LimitUsage | undefined
  /** Takes one slot of each limit for the run, for so many seconds unless renewed, or until given back when null; the lease id. */
  acquire(names: readonly string[], holder: string, seconds: number | null): string
  /** The lease the holder has on these limits lasts so many seconds from now, or until given back when null; its id. */
  renew(holder: string, names: readonly string[], seconds: number | null): string
  /** Gives back whatever the holder has of these limits and, where it is the holder's own, that lease. */
  release(holder: string, names: readonly string[], lease?: string | null): void
}

/**
 * What a client does about the slots of deployments besides taking what it is given. It may renew its lease for as long as it runs (then a lease that
 * runs out tells that the client is gone), or count the slots of its own accord and have them before it proposes anything.
 */
export type LeaseMode = 'renews' | 'brings'

/** The settings that rules look at. */
export interface RuleSettings {
  /** How long a run that found its deployment's limit full is put off. */
  readonly deployment_slot_wait_seconds: number
  /** How long a deployment's lease lasts before its first renewal, unless the deployment says otherwise. */
  readonly deployment_lease_seconds: number
  /** How long a task that found the limit of a tag full is asked to wait. */
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

/** What a verdict changes on the run besides its state. */
export type RunChanges<Run extends RunSnapshot = RunSnapshot> = Partial<
  Pick<Run, Extract<keyof Run, 'empirical_policy' | 'run_count' | 'flow_run_run_count'>>
>

/** What has to be stored or done elsewhere, in the transition's own transaction. */
export type Effect =
  /** Completed: the state answers later proposals under the same key. */
  | { readonly kind: 'cache'; readonly cache_key: string; readonly cache_expiration: string | null; readonly state_id: string }
  /** A deferred task waits for a worker; retries go before new ones. */
  | { readonly kind: 'enqueue'; readonly task_run_id: string; readonly retry: boolean }
  /** A subflow moved: its task in the parent's flow run takes the same state, by force. */
  | { readonly kind: 'parent'; readonly task_run_id: string; readonly state: RunState }

interface Explanation {
  /** One sentence for people: why. */
  readonly reason: string
  /** What the rule looked at, for the explanation. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/** `changes` count for the bookkeeping of this very transition; `afterwards` only for the next one. */
interface WithRunChanges<Run extends RunSnapshot> {
  readonly changes?: RunChanges<Run>
  readonly laterChanges?: RunChanges<Run>
}

export type Verdict<Run extends RunSnapshot = RunSnapshot> =
  /** Go on; `state` is the proposed state amended. */
  | ({ readonly kind: 'accept'; readonly state?: RunState; readonly effect?: Effect } & WithRunChanges<Run>)
  /** Not this: write `state` instead, or nothing when it is null. */
  | ({ readonly kind: 'reject'; readonly state: RunState | null } & WithRunChanges<Run> & Explanation)
  | ({ readonly kind: 'wait'; readonly delay_seconds: number } & Explanation)
  | ({ readonly kind: 'abort' } & Explanation)

export interface Rule<Run extends RunSnapshot = RunSnapshot> {
  readonly name: string
  /** The types of state it speaks about; null is "no state yet". */
  readonly from: readonly (StateType | null)[]
  readonly to: readonly StateType[]
  /** Pure: looks at the context, writes nothing. */
  decide(context: RuleContext<Run>): Verdict<Run>
  /** Runs once what this rule accepted is to be written: takes or frees slots. `proposed` is the state to write; may amend it. */
  finalize?(context: RuleContext<Run>, status: SetStateStatus): RunState | undefined
  /** Settles whatever is written, also when another rule put another state in place of the proposed one. */
  readonly alwaysFinalize?: true
}

/** For `from`: whatever the run's state, and also when it has none. */
export const anyTypeOrNone: readonly (StateType | null)[] = [null, ...stateTypes]

/** For `from` and `to`: whatever the type. */
export const anyType: readonly StateType[] = stateTypes

export const terminal: readonly StateType[] = terminalTypes

export const allTypesExcept = (...types: StateType[]): readonly StateType[] => stateTypes.filter((type) => !types.includes(type))

/** A rule, checked and closed to changes. */
export const defineRule = <Run extends RunSnapshot = RunSnapshot>(rule: Rule<Run>): Rule<Run> => Object.freeze(rule)
