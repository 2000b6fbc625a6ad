import type { StateDetails, StateType } from '@millrace/contracts/state.ts'
import { MICROS_PER_SECOND, type Micros, sortableTime, toMicros } from '../src/lib/time.ts'
import {
  type DeploymentLimitSnapshot,
  defaultRuleSettings,
  type FlowRunSnapshot,
  type LeaseMode,
  type LimitUsage,
  type RuleContext,
  type RuleSettings,
  type RunSlots,
  type RunState,
  type TaskRunSnapshot,
} from '../src/orchestration/rule.ts'
import { createState, type ReceivedState, type StateContext } from '../src/orchestration/states.ts'

/** The current time of the tests. */
export const now: Micros = toMicros('2031-02-01T09:30:00Z')

export const at = (seconds: number): Micros => now + seconds * MICROS_PER_SECOND

export const timeAfter = (seconds: number): string => sortableTime(at(seconds))

/** Ids in the order of creation. */
export function sequentialIds(prefix = 'id'): () => string {
  let count = 0
  return () => `${prefix}-${++count}`
}

const stateIds = sequentialIds('state')

export const aState = (type: StateType, more: Omit<ReceivedState, 'type'> = {}, timestamp: Micros = now): RunState =>
  createState({ now: timestamp, newId: stateIds }, { type, ...more })

export const stateWithDetails = (type: StateType, state_details: Partial<StateDetails>, name?: string): RunState =>
  aState(type, { name, state_details })

const noTimes = { expected_start_time: null, next_scheduled_start_time: null, start_time: null, end_time: null, total_run_time: 0 }

export const aLimit = (more: Partial<DeploymentLimitSnapshot> = {}): DeploymentLimitSnapshot => ({
  limit_id: 'limit',
  name: 'deployment:d',
  slots: 1,
  collision_strategy: 'ENQUEUE',
  grace_period_seconds: null,
  ...more,
})

type WithPartialPolicy<Run extends { empirical_policy: object }> = Partial<Omit<Run, 'empirical_policy'>> & {
  empirical_policy?: Partial<Run['empirical_policy']>
}

export const aFlowRun = ({ empirical_policy, ...more }: WithPartialPolicy<FlowRunSnapshot> = {}): FlowRunSnapshot => ({
  id: 'flow-run',
  state: null,
  attempt: 0,
  run_count: 0,
  ...noTimes,
  deployment_id: null,
  infrastructure_pid: null,
  parent_task_run_id: null,
  deploymentExists: (more.deployment_id ?? null) !== null,
  deploymentLimit: null,
  ...more,
  empirical_policy: {
    max_retries: 0,
    retry_delay_seconds: 0,
    retries: null,
    retry_delay: null,
    pause_keys: [],
    resuming: false,
    retry_type: null,
    ...empirical_policy,
  },
})

export const aTaskRun = ({ empirical_policy, ...more }: WithPartialPolicy<TaskRunSnapshot> = {}): TaskRunSnapshot => ({
  id: 'task-run',
  state: null,
  run_count: 0,
  ...noTimes,
  flow_run_id: null,
  flow_run_run_count: 0,
  tags: [],
  flowRun: null,
  cached: null,
  ...more,
  empirical_policy: { max_retries: 0, retry_delay_seconds: 0, retries: null, retry_delay: null, retry_jitter_factor: null, ...empirical_policy },
})

interface ContextOptions {
  now?: Micros
  slots?: RunSlots
  settings?: Partial<RuleSettings>
  leaseMode?: LeaseMode
  random?: number
}

const state = (given: RunState | StateType): RunState => (typeof given === 'string' ? aState(given) : given)

/** A flow run in one state for which another is proposed. */
export function flowContext(
  from: RunState | StateType | null,
  to: RunState | StateType,
  { run, ...around }: ContextOptions & { run?: WithPartialPolicy<FlowRunSnapshot> } = {},
): RuleContext<FlowRunSnapshot> {
  const current = from === null ? null : state(from)
  return { run: aFlowRun({ ...run, state: current }), current, proposed: state(to), ...contextDefaults(around) }
}

/** A task run in one state for which another is proposed. */
export function taskContext(
  from: RunState | StateType | null,
  to: RunState | StateType,
  { run, ...around }: ContextOptions & { run?: WithPartialPolicy<TaskRunSnapshot> } = {},
): RuleContext<TaskRunSnapshot> {
  const current = from === null ? null : state(from)
  return { run: aTaskRun({ ...run, state: current }), current, proposed: state(to), ...contextDefaults(around) }
}

function contextDefaults({ now: time = now, slots = new InMemorySlots(), settings, leaseMode, random = 0.5 }: ContextOptions) {
  return { now: time, slots, settings: { ...defaultRuleSettings, ...settings }, leaseMode, newId: sequentialIds(), random: () => random }
}

export const stateContextAt = (time: Micros = now): StateContext => ({ now: time, newId: sequentialIds() })

interface Lease {
  readonly id: string
  readonly holder: string
  readonly names: readonly string[]
  seconds: number | null
}

/** An in-memory lease table. Taking a slot that is not free throws: rules must check first. */
export class InMemorySlots implements RunSlots {
  readonly leases: Lease[] = []
  readonly limits: Map<string, { slots: number; active: boolean }>
  readonly #newId = sequentialIds('lease')

  /** Slots by limit name. `off` lists inactive limits. */
  constructor(limits: Record<string, number> = {}, off: readonly string[] = []) {
    this.limits = new Map(Object.entries(limits).map(([name, slots]) => [name, { slots, active: !off.includes(name) }]))
  }

  withHolders(name: string, ...holders: string[]): this {
    for (const holder of holders) this.leases.push({ id: this.#newId(), holder, names: [name], seconds: null })
    return this
  }

  holdersOf(name: string): string[] {
    return this.leases.filter((lease) => lease.names.includes(name)).map((lease) => lease.holder)
  }

  usage(name: string): LimitUsage | undefined {
    const limit = this.limits.get(name)
    const holders = this.holdersOf(name)
    return limit && { ...limit, free: limit.slots - holders.length, holders }
  }

  acquire(names: readonly string[], holder: string, seconds: number | null): string {
    for (const name of names) if ((this.usage(name)?.free ?? 0) <= 0) throw new Error(`no slot of ${name} is free`)
    const id = this.#newId()
    this.leases.push({ id, holder, names, seconds })
    return id
  }

  renew(holder: string, names: readonly string[], seconds: number | null): string {
    const lease = this.leases.find((candidate) => candidate.holder === holder && names.every((name) => candidate.names.includes(name)))
    if (!lease) throw new Error(`${holder} has no lease of ${names.join()}`)
    lease.seconds = seconds
    return lease.id
  }

  release(holder: string, names: readonly string[], lease?: string | null): void {
    const isMeant = (candidate: Lease) => candidate.id === lease || candidate.names.some((name) => names.includes(name))
    for (const [index, candidate] of [...this.leases.entries()].reverse()) {
      if (candidate.holder === holder && isMeant(candidate)) this.leases.splice(index, 1)
    }
  }
}
