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

/** What became of a proposal: the rules' decision, entered in the books. */
export interface Outcome<Run extends RunSnapshot = RunSnapshot> {
  readonly status: SetStateStatus
  /** As on the wire. */
  readonly details: TransitionDetails
  /** The state that was entered, to be written; null when the run stays in the one it was in. */
  readonly newState: RunState | null
  /** The run afterwards; the same object when nothing of it changed. A rejected proposal may still leave a note in its policy. */
  readonly run: Run
  readonly effects: readonly Effect[]
}

export function transitionFlowRun(policy: Policy<FlowRunSnapshot>, context: RuleContext<FlowRunSnapshot>): Outcome<FlowRunSnapshot> {
  const { status, details, state, run, laterChanges: afterwards, effects } = evaluatePolicy(policy, context)
  if (state === null) return { status, details, newState: null, run: afterwards ? { ...run, ...afterwards } : run, effects }
  const written = stampFlowRunState(run, state)
  const entered = enterFlowRunState(run, written)
  const forParent = parentTaskState(context, run, written)
  return {
    status,
    details,
    newState: written,
    run: afterwards ? { ...entered, ...afterwards } : entered,
    effects: forParent && run.parent_task_run_id ? [...effects, { kind: 'parent', task_run_id: run.parent_task_run_id, state: forParent }] : effects,
  }
}

export function transitionTaskRun(policy: Policy<TaskRunSnapshot>, context: RuleContext<TaskRunSnapshot>): Outcome<TaskRunSnapshot> {
  const { status, details, state, run, effects } = evaluatePolicy(policy, context)
  if (state === null) return { status, details, newState: null, run, effects }
  const written = stampTaskRunState(run, state)
  return { status, details, newState: written, run: enterTaskRunState(run, written), effects }
}

/** The state as it is written for a flow run: it says whose it is, and comes after the state before it. */
export function stampFlowRunState(run: FlowRunSnapshot, state: RunState): RunState {
  const task_run_id = run.parent_task_run_id ?? state.state_details.task_run_id
  return { ...state, timestamp: monotonicTimestamp(run.state, state), state_details: { ...state.state_details, flow_run_id: run.id, task_run_id } }
}

/** The state as it is written for a task run: it says whose it is, and comes after the state before it. */
export function stampTaskRunState(run: TaskRunSnapshot, state: RunState): RunState {
  const { flow_run_id, id: task_run_id } = run
  return { ...state, timestamp: monotonicTimestamp(run.state, state), state_details: { ...state.state_details, flow_run_id, task_run_id } }
}

/** The flow run once the stamped state is written. Resuming, it goes on with the attempt it was in. */
export function enterFlowRunState(run: FlowRunSnapshot, state: RunState): FlowRunSnapshot {
  const { empirical_policy, run_count } = run
  const isRunning = state.type === 'RUNNING'
  return {
    ...run,
    ...timesAfterEntering(run, state),
    state,
    run_count: isRunning && !empirical_policy.resuming ? run_count + 1 : run_count,
    empirical_policy:
      empirical_policy.resuming && (isRunning || isTerminal(state.type)) ? { ...empirical_policy, resuming: false } : empirical_policy,
  }
}

/** The task run once the stamped state is written. */
export function enterTaskRunState(run: TaskRunSnapshot, state: RunState): TaskRunSnapshot {
  return { ...run, ...timesAfterEntering(run, state), state, run_count: state.type === 'RUNNING' ? run.run_count + 1 : run.run_count }
}

/** The state that the task standing for a subflow in its parent takes over, by force; undefined for a run that is no subflow. */
export function parentTaskState(stateContext: StateContext, run: FlowRunSnapshot, state: RunState): RunState | undefined {
  return run.parent_task_run_id === null ? undefined : withDetails(copyAsNew(stateContext, state), { child_flow_run_id: run.id })
}

type RunTimeColumns = Pick<RunSnapshot, 'start_time' | 'end_time' | 'expected_start_time' | 'next_scheduled_start_time' | 'total_run_time'>

function timesAfterEntering(run: RunSnapshot, state: RunState): RunTimeColumns {
  const { timestamp, type } = state
  const hasEnded = isTerminal(type)
  const scheduledTime = type === 'SCHEDULED' ? scheduledTimeOf(state) : null
  return {
    // Whatever ended without ever running started and ended at once, so that it has a place in time.
    start_time: run.start_time ?? (type === 'RUNNING' || hasEnded ? timestamp : null),
    // From one end to another the first one stands.
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

/** No two states of a run at one time, and none before its forerunner: clocks of several servers differ, and history is read in this order. */
function monotonicTimestamp(current: RunState | null, state: RunState): Micros {
  return current && state.timestamp <= current.timestamp ? current.timestamp + 1 : state.timestamp
}

/** The rules that speak about one pair of states, in order. */
export interface SelectedRules<Run extends RunSnapshot = RunSnapshot> {
  readonly rules: readonly Rule<Run>[]
  /** Those among them that settle, so that the others are not asked. */
  readonly finalizing: readonly Rule<Run>[]
}

type ByTarget<Run extends RunSnapshot> = Readonly<Record<StateType, SelectedRules<Run>>>

export interface Policy<Run extends RunSnapshot = RunSnapshot> {
  readonly rules: readonly Rule<Run>[]
  readonly fromNone: ByTarget<Run>
  readonly from: Readonly<Record<StateType, ByTarget<Run>>>
}

/** A list of rules with the choice for each of the 90 pairs made beforehand: thousands of transitions a second would otherwise sift it each time. */
export function definePolicy<Run extends RunSnapshot>(...rules: Rule<Run>[]): Policy<Run> {
  const choose = (from: StateType | null, to: StateType): SelectedRules<Run> => {
    const chosen = rules.filter((rule) => rule.from.includes(from) && rule.to.includes(to))
    return { rules: chosen, finalizing: chosen.filter((rule) => rule.finalize) }
  }
  const byTarget = (from: StateType | null): ByTarget<Run> => mapStateTypes((to) => choose(from, to))
  return { rules, fromNone: byTarget(null), from: mapStateTypes(byTarget) }
}

export const selectRules = <Run extends RunSnapshot>(policy: Policy<Run>, from: StateType | null, to: StateType): SelectedRules<Run> =>
  (from === null ? policy.fromNone : policy.from[from])[to]

function mapStateTypes<T>(make: (type: StateType) => T): Record<StateType, T> {
  return Object.fromEntries(stateTypes.map((type) => [type, make(type)])) as Record<StateType, T>
}

/** What the rules said. */
export interface Decision<Run extends RunSnapshot = RunSnapshot> {
  readonly status: SetStateStatus
  /** As on the wire. */
  readonly details: TransitionDetails
  /** The state to write, or null when the run stays as it is. */
  readonly state: RunState | null
  /** The run with what the rules noted on it; the same object when they noted nothing. */
  readonly run: Run
  /** What to note once this transition is in the books. */
  readonly laterChanges: RunChanges<Run> | null
  readonly effects: readonly Effect[]
}

const accepted: TransitionDetails = Object.freeze({ type: 'accept_details' })
const noEffects: readonly Effect[] = Object.freeze([])

/**
 * Asks the rules of the policy that speak about this pair of states, in order. A rule may amend the state, or put another of the same type in its
 * place, and the next one sees that. The first that waits, aborts, or rejects into another type or none ends it: what the earlier ones noted is
 * forgotten, nothing of theirs settles, and only the `always` rules still see what is written.
 */
export function evaluatePolicy<Run extends RunSnapshot>(policy: Policy<Run>, context: RuleContext<Run>): Decision<Run> {
  const { proposed } = context
  const selected = selectRules(policy, context.current?.type ?? null, proposed.type)
  const view = new EvaluationContext(context)
  let status: SetStateStatus = 'ACCEPT'
  let details = accepted
  let afterwards: RunChanges<Run> | null = null
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
    if (verdict.laterChanges) afterwards = Object.assign({}, afterwards, verdict.laterChanges)
  }
  for (const rule of selected.finalizing) view.proposed = rule.finalize?.(view, status) ?? view.proposed
  return { status, details, state: view.proposed, run: view.run, laterChanges: afterwards, effects }
}

type FinalVerdict<Run extends RunSnapshot> = Exclude<Verdict<Run>, { kind: 'accept' }>

function concludeEarly<Run extends RunSnapshot>(
  context: RuleContext<Run>,
  selected: SelectedRules<Run>,
  author: Rule<Run>,
  verdict: FinalVerdict<Run>,
): Decision<Run> {
  const details = toTransitionDetails(author, verdict)
  if (verdict.kind !== 'reject') {
    return { status: statusByVerdict[verdict.kind], details, state: null, run: context.run, laterChanges: null, effects: noEffects }
  }
  const run = verdict.changes ? { ...context.run, ...verdict.changes } : context.run
  const afterwards = verdict.laterChanges ?? null
  if (verdict.state === null) return { status: 'REJECT', details, state: null, run, laterChanges: afterwards, effects: noEffects }
  const view = new EvaluationContext(context)
  view.run = run
  view.proposed = verdict.state
  for (const rule of selected.finalizing) if (rule.alwaysFinalize) view.proposed = rule.finalize?.(view, 'REJECT') ?? view.proposed
  return { status: 'REJECT', details, state: view.proposed, run, laterChanges: afterwards, effects: noEffects }
}

const statusByVerdict = { reject: 'REJECT', wait: 'WAIT', abort: 'ABORT' } as const

function toTransitionDetails(rule: Rule<never>, verdict: FinalVerdict<never>): TransitionDetails {
  const spoken = { reason: verdict.reason, rule: rule.name, facts: verdict.facts }
  if (verdict.kind === 'wait') return { type: 'wait_details', delay_seconds: Math.round(verdict.delay_seconds), ...spoken }
  return { type: verdict.kind === 'abort' ? 'abort_details' : 'reject_details', ...spoken }
}

/** The context as the rules see it: one object a transition, in which the proposed state and the run move on. */
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
