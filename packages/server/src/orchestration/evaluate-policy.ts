import type { SetStateStatus, TransitionDetails } from '@millrace/contracts/state.ts'
import type { Micros } from '../lib/time.ts'
import { type Policy, type SelectedRules, selectRules } from './define-policy.ts'
import type { Effect, LeaseMode, Rule, RuleContext, RuleSettings, RunChanges, RunSlots, RunSnapshot, RunState, Verdict } from './rule.ts'

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
