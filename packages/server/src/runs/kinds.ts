import type { StateType } from '@millrace/contracts/state.ts'
import { notFound } from '../errors.ts'
import { tagLimitNames } from '../lib/limit-names.ts'
import { toMicros } from '../lib/time.ts'
import { type Outcome, type Policy, transitionFlowRun, transitionTaskRun } from '../orchestration/apply-transition.ts'
import { flowRunPolicyFor, forcedTaskRunPolicy, taskRunPolicyFor } from '../orchestration/policies.ts'
import type { FlowRunSnapshot, RuleContext, RunSlots, RunSnapshot, RunState, TaskRunSnapshot } from '../orchestration/rule.ts'
import { HeldRow } from '../storage/database.ts'
import type { ProposeFlowRunState, ProposeTaskRunState, SetStateResult } from './command.ts'
import type { Deciding } from './deciding.ts'
import { flowRunStateEvent } from './flow-run-events.ts'
import { flowRunColumns, type LoadedFlowRun, toEventContext, toFlowRunSnapshot } from './flow-run-rows.ts'
import type { RecentTransitions } from './recent-transitions.ts'
import { toStateRow } from './run-state.ts'
import { type LoadedTaskRun, taskRunColumns, toTaskRunSnapshot } from './task-run-rows.ts'

/** In what flow runs and task runs differ when a state is proposed. */
export interface Kind<Row extends { readonly id: string }, Run extends RunSnapshot, Proposal> {
  readonly noun: string
  /** The runs as the commands before have left them. */
  rows(deciding: Deciding): Map<string, Row>
  recent(deciding: Deciding): RecentTransitions
  slots(deciding: Deciding): RunSlots
  /** Rows of others that the transition changes with it. */
  needs(row: Row): readonly string[]
  snapshot(deciding: Deciding, row: Row, proposed: RunState): Run
  policy(proposal: Proposal, proposed: RunState): Policy<Run>
  transition(policy: Policy<Run>, context: RuleContext<Run>): Outcome<Run>
  /** Whether a repeated request gets its first answer again. */
  answersAgain(repeated: SetStateResult, row: Row, proposal: Proposal): boolean
  /** Adds to the changes that the run has entered a state, or was changed otherwise. */
  enter(deciding: Deciding, row: Row, before: Run, outcome: Outcome<Run>, proposal: Proposal): void
}

/** The run that a command names, or why it cannot be changed. */
export function findRun<Row extends { readonly id: string }>(
  { noun, rows }: Pick<Kind<Row, never, never>, 'noun' | 'rows'>,
  deciding: Deciding,
  id: string,
): Row | Error {
  if (deciding.isHeld(id)) return new HeldRow(id)
  return rows(deciding).get(id) ?? notFound(noun)
}

export const flowRunKind: Kind<LoadedFlowRun, FlowRunSnapshot, ProposeFlowRunState> = {
  noun: 'Flow run',
  rows: ({ flowRuns }) => flowRuns,
  recent: ({ loaded }) => loaded.recent.flowRuns,
  slots: ({ flowRunSlots }) => flowRunSlots,
  needs: ({ parent_task_run_id, limit_name }) => [...(parent_task_run_id ? [parent_task_run_id] : []), ...(limit_name ? [limit_name] : [])],
  snapshot: (_deciding, row) => toFlowRunSnapshot(row),
  policy: ({ policy, force }) => policy ?? flowRunPolicyFor(force ?? false),
  transition: transitionFlowRun,
  // A repeated request that led to the current state is left to the rule `prevent-duplicate-transitions`, which rejects it like the reference does.
  answersAgain: ({ result }, row, { force, alwaysAnswersAgain }) =>
    force === true || alwaysAnswersAgain === true || !(result.status === 'ACCEPT' && result.state?.id === row.state_id),
  enter(deciding, row, before, { run, newState, effects }, { worker }) {
    const { changes, loaded } = deciding
    const worker_name = newState?.type === 'PENDING' && worker ? worker : row.worker_name
    const columns = { worker_name, recent_transitions: loaded.recent.flowRuns.serialize(row.id), ...flowRunColumns(run) }
    deciding.setFlowRunColumns(row, columns)
    if (newState) {
      changes.flowRunStates.push({ ...toStateRow(newState), flow_run_id: row.id })
      changes.events.push(flowRunStateEvent({ ...row, run_count: run.run_count }, before.state, newState, toEventContext(row)))
    }
    for (const effect of effects) {
      if (effect.kind === 'parent') enterParentState(deciding, effect.task_run_id, effect.state)
      if (effect.kind === 'delete-input') changes.staleInputs.push({ flow_run_id: row.id, keys: effect.keys })
    }
  },
}

export const taskRunKind: Kind<LoadedTaskRun, TaskRunSnapshot, ProposeTaskRunState> = {
  noun: 'Task run',
  rows: ({ taskRuns }) => taskRuns,
  recent: ({ loaded }) => loaded.recent.taskRuns,
  slots: ({ taskRunSlots }) => taskRunSlots,
  needs: ({ tags, tag_limits }) => (tag_limits === 0 ? [] : tagLimitNames(JSON.parse(tags) as string[])),
  snapshot: ({ loaded }, row, { state_details }) => ({ ...toTaskRunSnapshot(row), cached: loaded.cached.get(state_details.cache_key ?? '') ?? null }),
  policy: ({ force }, proposed) => taskRunPolicyFor(proposed, force ?? false),
  transition: transitionTaskRun,
  answersAgain: () => true,
  enter(deciding, row, _before, outcome) {
    enterTaskRun(deciding, row, outcome, { recent_transitions: deciding.loaded.recent.taskRuns.serialize(row.id) })
  },
}

/** The task run of a subflow enters the state of the subflow, by force. */
export function enterParentState(deciding: Deciding, taskRunId: string, state: RunState): void {
  const row = deciding.taskRuns.get(taskRunId)
  if (!row) return
  const run = toTaskRunSnapshot(row)
  const ruleContext = { ...deciding.ruleContext(), run, current: run.state, proposed: state, slots: deciding.taskRunSlots }
  enterTaskRun(deciding, row, transitionTaskRun(forcedTaskRunPolicy, ruleContext))
}

function enterTaskRun(deciding: Deciding, row: LoadedTaskRun, outcome: Outcome<TaskRunSnapshot>, others: Partial<LoadedTaskRun> = {}): void {
  deciding.setTaskRunColumns(row, { ...others, ...taskRunColumns(outcome.run) })
  if (outcome.newState) deciding.changes.taskRunStates.push({ ...toStateRow(outcome.newState), task_run_id: row.id })
  addTaskEffects(deciding, outcome)
}

export function addTaskEffects({ changes, context }: Deciding, { effects, newState }: Outcome<TaskRunSnapshot>): void {
  for (const effect of effects) {
    if (effect.kind === 'enqueue') changes.deferred.add(effect.task_run_id)
    if (effect.kind !== 'cache') continue
    const { cache_key, cache_expiration, state_id } = effect
    changes.cacheEntries.push({
      id: context.newId(),
      cache_key,
      cache_expiration: cache_expiration ? toMicros(cache_expiration) : null,
      // `finalize` of a rule may have replaced the state after the effect was created.
      state_id: newState?.id ?? state_id,
      created: context.clock.now(),
    })
  }
}

/** A verdict to store. Accepts without a reason are not stored. */
export function addVerdict({ changes, context }: Deciding, runId: string, from: StateType | null, to: StateType, { status, details }: Outcome): void {
  if (details.type === 'accept_details' || !('rule' in details)) return
  changes.verdicts.push({
    id: context.newId(),
    run_id: runId,
    at: context.clock.now(),
    status,
    rule: details.rule ?? '',
    reason: details.reason ?? '',
    facts: details.facts ? JSON.stringify(details.facts) : null,
    from_type: from,
    to_type: to,
  })
}
