import type { SetStateStatus, TransitionDetails } from '@millrace/contracts/state.ts'
import type { Policy } from './define-policy.ts'
import { enterFlowRunState, enterTaskRunState, parentTaskState, stampFlowRunState, stampTaskRunState } from './enter-state.ts'
import { evaluatePolicy } from './evaluate-policy.ts'
import type { Effect, FlowRunSnapshot, RuleContext, RunSnapshot, RunState, TaskRunSnapshot } from './rule.ts'

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
