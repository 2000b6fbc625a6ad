import { isTerminal, type SetStateStatus, type StateType, stateTypes, type TransitionDetails } from '@millrace/contracts/state.ts'
import { type Micros, toMicros } from '../lib/time.ts'
import type {
  Effect,
  FlowRunSnapshot,
  LeaseMode,
  Rule,
  RuleContext,
  RuleSettings,
  RunChanges,
  RunSlots,
  RunSnapshot,
  RunState,
  TaskRunSnapshot,
  Verdict,
} from './rule.ts'
import { copyAsNew, type StateContext, withDetails } from './states.ts'

/** The result of a proposal after the rules have decided and the run has entered its state. */
export interface Outcome<Run extends RunSnapshot = RunSnapshot> {
  readonly status: SetStateStatus
  /** In the wire format. */
  readonly details: TransitionDetails
  /** The state to write. Null if the run keeps its current state. */
  readonly newState: RunState | null
  /** The run after the transition; the same object if nothing changed. A rejected proposal may still change the retry policy. */
  readonly run: Run
  readonly effects: readonly Effect[]
}

export function transitionFlowRun(policy: Policy<FlowRunSnapshot>, context: RuleContext<FlowRunSnapshot>): Outcome<FlowRunSnapshot> {
  const { status, details, state, run, laterChanges, effects } = evaluatePolicy(policy, context)
  if (state === null) return { status, details, newState: null, run: laterChanges ? { ...run, ...laterChanges } : run, effects }
  const newState = stampFlowRunState(run, state)
  const entered = enterFlowRunState(run, newState)
  const parentState = parentTaskState(context, run, newState)
  return {
    status,
    details,
    newState,
    run: laterChanges ? { ...entered, ...laterChanges } : entered,
    effects:
      parentState && run.parent_task_run_id ? [...effects, { kind: 'parent', task_run_id: run.parent_task_run_id, state: parentState }] : effects,
  }
}

export function transitionTaskRun(policy: Policy<TaskRunSnapshot>, context: RuleContext<TaskRunSnapshot>): Outcome<TaskRunSnapshot> {
  const { status, details, state, run, effects } = evaluatePolicy(policy, context)
  if (state === null) return { status, details, newState: null, run, effects }
  const newState = stampTaskRunState(run, state)
  return { status, details, newState, run: enterTaskRunState(run, newState), effects }
}

/** Sets the run ids in the details, and a timestamp later than that of the current state. */
export function stampFlowRunState(run: FlowRunSnapshot, state: RunState): RunState {
  const task_run_id = run.parent_task_run_id ?? state.state_details.task_run_id
  return { ...state, timestamp: monotonicTimestamp(run.state, state), state_details: { ...state.state_details, flow_run_id: run.id, task_run_id } }
}

/** The same for a task run. */
export function stampTaskRunState(run: TaskRunSnapshot, state: RunState): RunState {
  const { flow_run_id, id: task_run_id } = run
  return { ...state, timestamp: monotonicTimestamp(run.state, state), state_details: { ...state.state_details, flow_run_id, task_run_id } }
}

/** The flow run after it enters the stamped state. A resumed run continues its attempt, so `run_count` stays. */
export function enterFlowRunState(run: FlowRunSnapshot, state: RunState): FlowRunSnapshot {
  const { empirical_policy, run_count } = run
  const isRunning = state.type === 'RUNNING'
  return {
    ...run,
    ...timesAfterEntering(run, state),
    state,
    run_count: isRunning && !empirical_policy.resuming ? run_count + 1 : run_count,
    attempt: changesHands(run, state) ? run.attempt + 1 : run.attempt,
    empirical_policy:
      empirical_policy.resuming && (isRunning || isTerminal(state.type)) ? { ...empirical_policy, resuming: false } : empirical_policy,
  }
}

/**
 * Whether another process may run the flow run from now on: it starts, or it is scheduled again after a claim, a failure or a suspension. A run that is paused
 * and resumed stays with its process.
 */
const changesHands = ({ state }: FlowRunSnapshot, { type }: RunState): boolean =>
  type === 'RUNNING' ? state?.type !== 'PAUSED' : type === 'SCHEDULED' && state !== null && state.type !== 'SCHEDULED'

/** The task run after it enters the stamped state. */
export function enterTaskRunState(run: TaskRunSnapshot, state: RunState): TaskRunSnapshot {
  return { ...run, ...timesAfterEntering(run, state), state, run_count: state.type === 'RUNNING' ? run.run_count + 1 : run.run_count }
}

/** The state that the parent's task run of a subflow takes over, by force. Undefined if the run is not a subflow. */
export function parentTaskState(stateContext: StateContext, run: FlowRunSnapshot, state: RunState): RunState | undefined {
  return run.parent_task_run_id === null ? undefined : withDetails(copyAsNew(stateContext, state), { child_flow_run_id: run.id })
}

type RunTimeColumns = Pick<RunSnapshot, 'start_time' | 'end_time' | 'expected_start_time' | 'next_scheduled_start_time' | 'total_run_time'>

function timesAfterEntering(run: RunSnapshot, state: RunState): RunTimeColumns {
  const { timestamp, type } = state
  const hasEnded = isTerminal(type)
  const scheduledTime = type === 'SCHEDULED' ? scheduledTimeOf(state) : null
  return {
    // A run that ends without having run starts and ends at the same time, so that charts can place it.
    start_time: run.start_time ?? (type === 'RUNNING' || hasEnded ? timestamp : null),
    // A change from one terminal state to another keeps the first end time.
    end_time: hasEnded ? (run.end_time ?? timestamp) : null,
    expected_start_time: run.expected_start_time ?? scheduledTime ?? timestamp,
    next_scheduled_start_time: scheduledTime,
    total_run_time: run.state?.type === 'RUNNING' ? run.total_run_time + (timestamp - run.state.timestamp) : run.total_run_time,
  }
}

function scheduledTimeOf(state: RunState): Micros {
  const { scheduled_time } = state.state_details
  return scheduled_time ? toMicros(scheduled_time) : state.timestamp
}

/** Timestamps within a run strictly increase: the history is sorted by them, and the clocks of several servers differ. */
function monotonicTimestamp(current: RunState | null, state: RunState): Micros {
  return current && state.timestamp <= current.timestamp ? current.timestamp + 1 : state.timestamp
}

/** The rules that apply to one pair of state types, in order. */
export interface SelectedRules<Run extends RunSnapshot = RunSnapshot> {
  readonly rules: readonly Rule<Run>[]
  /** The subset with a `finalize` function. */
  readonly finalizing: readonly Rule<Run>[]
}

type ByTarget<Run extends RunSnapshot> = Readonly<Record<StateType, SelectedRules<Run>>>

export interface Policy<Run extends RunSnapshot = RunSnapshot> {
  readonly rules: readonly Rule<Run>[]
  readonly fromNone: ByTarget<Run>
  readonly from: Readonly<Record<StateType, ByTarget<Run>>>
}

/** Selects the rules for each of the 90 pairs of state types once, because thousands of transitions per second would otherwise filter the list each time. */
export function definePolicy<Run extends RunSnapshot>(...rules: Rule<Run>[]): Policy<Run> {
  const select = (from: StateType | null, to: StateType): SelectedRules<Run> => {
    const selected = rules.filter((rule) => rule.from.includes(from) && rule.to.includes(to))
    return { rules: selected, finalizing: selected.filter((rule) => rule.finalize) }
  }
  const byTarget = (from: StateType | null): ByTarget<Run> => mapStateTypes((to) => select(from, to))
  return { rules, fromNone: byTarget(null), from: mapStateTypes(byTarget) }
}

export const selectRules = <Run extends RunSnapshot>(policy: Policy<Run>, from: StateType | null, to: StateType): SelectedRules<Run> =>
  (from === null ? policy.fromNone : policy.from[from])[to]

function mapStateTypes<T>(map: (type: StateType) => T): Record<StateType, T> {
  return Object.fromEntries(stateTypes.map((type) => [type, map(type)])) as Record<StateType, T>
}

/** What the rules of a policy decide about a proposal. */
export interface Decision<Run extends RunSnapshot = RunSnapshot> {
  readonly status: SetStateStatus
  /** In the wire format. */
  readonly details: TransitionDetails
  /** The state to write. Null if the run keeps its current state. */
  readonly state: RunState | null
  /** The run with the changes of the rules; the same object if there are none. */
  readonly run: Run
  /** Changes to apply after the run has entered its state. */
  readonly laterChanges: RunChanges<Run> | null
  readonly effects: readonly Effect[]
}

const accepted: TransitionDetails = Object.freeze({ type: 'accept_details' })
const noEffects: readonly Effect[] = Object.freeze([])

/**
 * Evaluates the rules that apply to this pair of state types, in order. A rule may amend the state or replace it by one of the same type; the next rule
 * sees the result. The first rule that waits, aborts, or rejects with another type or no state ends the evaluation. In that case the changes of the
 * earlier rules are dropped, and only rules with `alwaysFinalize` are finalized.
 */
export function evaluatePolicy<Run extends RunSnapshot>(policy: Policy<Run>, context: RuleContext<Run>): Decision<Run> {
  const { proposed } = context
  const selected = selectRules(policy, context.current?.type ?? null, proposed.type)
  const view = new EvaluationContext(context)
  let status: SetStateStatus = 'ACCEPT'
  let details = accepted
  let laterChanges: RunChanges<Run> | null = null
  let effects = noEffects
  for (const rule of selected.rules) {
    const verdict = rule.decide(view)
    if (verdict.kind === 'accept') {
      if (verdict.state) view.proposed = verdict.state
      if (verdict.effect) effects = [...effects, verdict.effect]
    } else if (verdict.kind === 'reject' && verdict.state?.type === proposed.type) {
      view.proposed = verdict.state
      status = 'REJECT'
      details = toTransitionDetails(rule, verdict)
    } else {
      return concludeEarly(context, selected, rule, verdict)
    }
    if (verdict.changes) view.run = { ...view.run, ...verdict.changes }
    if (verdict.laterChanges) laterChanges = Object.assign({}, laterChanges, verdict.laterChanges)
  }
  for (const rule of selected.finalizing) view.proposed = rule.finalize?.(view, status) ?? view.proposed
  return { status, details, state: view.proposed, run: view.run, laterChanges, effects }
}

type FinalVerdict<Run extends RunSnapshot> = Exclude<Verdict<Run>, { kind: 'accept' }>

function concludeEarly<Run extends RunSnapshot>(
  context: RuleContext<Run>,
  selected: SelectedRules<Run>,
  rule: Rule<Run>,
  verdict: FinalVerdict<Run>,
): Decision<Run> {
  const details = toTransitionDetails(rule, verdict)
  if (verdict.kind !== 'reject') {
    return { status: statusByVerdict[verdict.kind], details, state: null, run: context.run, laterChanges: null, effects: noEffects }
  }
  const run = verdict.changes ? { ...context.run, ...verdict.changes } : context.run
  const laterChanges = verdict.laterChanges ?? null
  if (verdict.state === null) return { status: 'REJECT', details, state: null, run, laterChanges, effects: noEffects }
  const view = new EvaluationContext(context)
  view.run = run
  view.proposed = verdict.state
  for (const each of selected.finalizing) if (each.alwaysFinalize) view.proposed = each.finalize?.(view, 'REJECT') ?? view.proposed
  return { status: 'REJECT', details, state: view.proposed, run, laterChanges, effects: noEffects }
}

const statusByVerdict = { reject: 'REJECT', wait: 'WAIT', abort: 'ABORT' } as const

function toTransitionDetails(rule: Rule<never>, verdict: FinalVerdict<never>): TransitionDetails {
  const explanation = { reason: verdict.reason, rule: rule.name, facts: verdict.facts }
  if (verdict.kind === 'wait') return { type: 'wait_details', delay_seconds: Math.round(verdict.delay_seconds), ...explanation }
  return { type: verdict.kind === 'abort' ? 'abort_details' : 'reject_details', ...explanation }
}

/** The context that the rules see. One mutable object per transition: `proposed` and `run` change from rule to rule. */
class EvaluationContext<Run extends RunSnapshot> implements RuleContext<Run> {
  run: Run
  proposed: RunState
  readonly current: RunState | null
  readonly now: Micros
  readonly slots: RunSlots
  readonly settings: RuleSettings
  readonly leaseMode: LeaseMode | undefined
  readonly #context: RuleContext<Run>

  constructor(context: RuleContext<Run>) {
    this.run = context.run
    this.proposed = context.proposed
    this.current = context.current
    this.now = context.now
    this.slots = context.slots
    this.settings = context.settings
    this.leaseMode = context.leaseMode
    this.#context = context
  }

  newId(): string {
    return this.#context.newId()
  }

  random(): number {
    return this.#context.random()
  }
}
