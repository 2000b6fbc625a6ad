import type { SetStateStatus, TransitionDetails } from '@millrace/contracts/state.ts'
import { enterFlowRunState, enterTaskRunState, parentTaskState, stampFlowRunState, stampTaskRunState } from './bookkeeping.ts'
import type { Policy } from './policy.ts'
import type { Effect, FlowRunFacts, RuleContext, RunFacts, RunState, TaskRunFacts } from './rule.ts'
import { decide } from './transition.ts'

/** What became of a proposal: the rules' decision, entered in the books. */
export interface Outcome<Run extends RunFacts = RunFacts> {
  readonly status: SetStateStatus
  /** As on the wire. */
  readonly details: TransitionDetails
  /** The state that was entered, to be written; null when the run stays in the one it was in. */
  readonly written: RunState | null
  /** The run afterwards; the same object when nothing of it changed. A rejected proposal may still leave a note in its policy. */
  readonly run: Run
  readonly effects: readonly Effect[]
}

export function transitionFlowRun(policy: Policy<FlowRunFacts>, context: RuleContext<FlowRunFacts>): Outcome<FlowRunFacts> {
  const { status, details, state, run, afterwards, effects } = decide(policy, context)
  if (state === null) return { status, details, written: null, run: afterwards ? { ...run, ...afterwards } : run, effects }
  const written = stampFlowRunState(run, state)
  const entered = enterFlowRunState(run, written)
  const forParent = parentTaskState(context, run, written)
  return {
    status,
    details,
    written,
    run: afterwards ? { ...entered, ...afterwards } : entered,
    effects: forParent && run.parent_task_run_id ? [...effects, { kind: 'parent', task_run_id: run.parent_task_run_id, state: forParent }] : effects,
  }
}

export function transitionTaskRun(policy: Policy<TaskRunFacts>, context: RuleContext<TaskRunFacts>): Outcome<TaskRunFacts> {
  const { status, details, state, run, effects } = decide(policy, context)
  if (state === null) return { status, details, written: null, run, effects }
  const written = stampTaskRunState(run, state)
  return { status, details, written, run: enterTaskRunState(run, written), effects }
}
