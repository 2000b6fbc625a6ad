import { isTerminal, type StateType } from '@millrace/contracts/state.ts'
import { notFound } from '../../errors.ts'
import { toMicros } from '../../lib/time.ts'
import { type Outcome, transitionTaskRun } from '../../orchestration/apply-transition.ts'
import { tagLimitNames } from '../../orchestration/limits.ts'
import { forcedTaskRunPolicy, taskRunPolicyFor } from '../../orchestration/policies.ts'
import type { RunState, TaskRunSnapshot } from '../../orchestration/rule.ts'
import { createState, type ReceivedState } from '../../orchestration/states.ts'
import { type Batch, batchOnRows } from '../../storage/batch.ts'
import type { Tx } from '../../storage/database.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'
import type { Row } from '../../storage/tables.ts'
import { loadRunSlots } from '../concurrency-limits/run-slots.ts'
import { evaluateChecked, type FoundRuns } from '../found-runs.ts'
import { RecentTransitions } from '../recent-transitions.ts'
import { toStateResponse, toStateRow } from '../run-state.ts'
import { type SetStateResult, toRuleSettings, toVerdictRows, uniqueIds } from '../state-proposals.ts'
import { deferTaskRuns } from './deferred-tasks.ts'
import { findTaskSnapshots, rememberedTaskRuns } from './remembered-runs.ts'
import { lockTaskSnapshots, readCached, type TaskSnapshotRow, taskTransitionColumns, toTaskSnapshot } from './transition-store.ts'

export interface TaskRunProposal {
  readonly id: string
  readonly state: ReceivedState
  readonly force?: boolean
}

/** Applies proposals of states for task runs: finds them together, evaluates them in order, and writes in a constant number of statements. */
export const taskRunTransitionBatch = perServer(
  (context): Batch<TaskRunProposal, SetStateResult> =>
    batchOnRows(
      'task_run',
      (tx, proposals) => findTaskSnapshots(tx, uniqueIds(proposals)),
      async (tx, proposals, found) => {
        const { results, slots, writes } = await evaluateChecked(
          proposals,
          found,
          (rows) => evaluateProposals(context, tx, proposals, rows),
          () => lockTaskSnapshots(tx, uniqueIds(proposals)),
        )
        await slots.flush()
        await writes.flush(tx)
        return results
      },
    ),
)

/** Evaluates the proposals in order. Writes nothing. */
async function evaluateProposals(context: ServerContext, tx: Tx, proposals: readonly TaskRunProposal[], found: FoundRuns<TaskSnapshotRow>) {
  const { clock, random, newId } = context
  const { rows, expected } = found
  const runs = new Map(rows.map((row) => [row.id, toTaskSnapshot(row)]))
  const cached = await readCached(tx, requestedCacheKeys(proposals), clock.now())
  const slots = await loadRunSlots(tx, context, 'task_run', limitNames(rows, runs.values()))
  const settings = toRuleSettings(context.config)
  const recent = await RecentTransitions.load(tx, 'task_run', rows, proposals)
  const writes = new TaskRunWrites(context, { rows, recent, expected })

  const results = proposals.map((proposal): SetStateResult | Error => {
    const snapshot = runs.get(proposal.id)
    if (!snapshot) return notFound('Task run')
    const repeated = recent.previousResult(proposal)
    if (repeated) return repeated
    const stateContext = { now: clock.now(), newId }
    const proposed = createState(stateContext, proposal.state)
    const run = { ...snapshot, cached: cached.get(proposed.state_details.cache_key ?? '') ?? null }
    const policy = taskRunPolicyFor(proposed, proposal.force ?? false)
    const outcome = transitionTaskRun(policy, { ...stateContext, run, current: run.state, proposed, slots, settings, random: random.next })
    runs.set(run.id, outcome.run)
    recent.add(proposal, outcome)
    writes.addTransition(run, outcome, stateContext.now)
    writes.verdicts.push(...toVerdictRows(newId, run.id, stateContext.now, run.state?.type ?? null, proposed.type, outcome))
    const state = outcome.newState ?? run.state
    return {
      written: outcome.newState !== null,
      result: { state: state && toStateResponse(state), status: outcome.status, details: outcome.details },
    }
  })
  return { results, slots, writes }
}

/** The limits of the tags. Most servers have none, and need no read for them. */
const limitNames = (rows: readonly TaskSnapshotRow[], runs: Iterable<TaskRunSnapshot>): Set<string> =>
  new Set(rows[0]?.tag_limits === 0 ? [] : [...runs].flatMap(({ tags }) => tagLimitNames(tags)))

const requestedCacheKeys = (proposals: readonly TaskRunProposal[]): string[] =>
  proposals.flatMap(({ state }) => (state.type === 'RUNNING' && state.state_details?.cache_key ? [state.state_details.cache_key] : []))

/** The state of a subflow for its task run in the parent flow run. */
export interface ParentState {
  readonly task_run_id: string
  readonly state: RunState
}

/** Enters the states of subflows on their task runs, by force. */
export async function enterParentStates(context: ServerContext, tx: Tx, parents: readonly ParentState[]): Promise<void> {
  const { clock, random, newId } = context
  const rows = await lockTaskSnapshots(tx, [...new Set(parents.map(({ task_run_id }) => task_run_id))])
  const runs = new Map(rows.map((row) => [row.id, toTaskSnapshot(row)]))
  const slots = await loadRunSlots(tx, context, 'task_run', limitNames(rows, runs.values()))
  const settings = toRuleSettings(context.config)
  const writes = new TaskRunWrites(context, { rows })
  for (const { task_run_id, state } of parents) {
    const run = runs.get(task_run_id)
    if (!run) continue
    const now = clock.now()
    const outcome = transitionTaskRun(forcedTaskRunPolicy, {
      now,
      newId,
      run,
      current: run.state,
      proposed: state,
      slots,
      settings,
      random: random.next,
    })
    runs.set(task_run_id, outcome.run)
    writes.addTransition(run, outcome, now)
  }
  await slots.flush()
  await writes.flush(tx)
}

interface KnownTaskRuns {
  /** The rows that may change. */
  readonly rows?: readonly TaskSnapshotRow[]
  /** Without it their recent transitions stay unchanged. */
  readonly recent?: RecentTransitions
  /** The `updated` of rows that were not read. */
  readonly expected?: ReadonlyMap<string, number>
}

/** Collects the writes of a batch and runs them at its end. */
export class TaskRunWrites {
  readonly verdicts: Row<'verdict'>[] = []
  readonly states: Row<'task_run_state'>[] = []
  readonly #cache: Row<'task_run_cache'>[] = []
  readonly #changed = new Map<string, TaskRunSnapshot>()
  readonly #context: ServerContext
  readonly #deferred = new Set<string>()
  readonly #recent: RecentTransitions | undefined
  readonly #rows: ReadonlyMap<string, TaskSnapshotRow>
  readonly #expected: ReadonlyMap<string, number> | undefined

  constructor(context: ServerContext, { rows = [], recent, expected }: KnownTaskRuns = {}) {
    this.#context = context
    this.#recent = recent
    this.#rows = new Map(rows.map((row) => [row.id, row]))
    this.#expected = expected
  }

  addTransition(before: TaskRunSnapshot, outcome: Outcome<TaskRunSnapshot>, now: number): void {
    if (outcome.run !== before) this.#changed.set(before.id, outcome.run)
    if (outcome.newState) this.states.push({ ...toStateRow(outcome.newState), task_run_id: before.id })
    this.addEffects(outcome, now)
  }

  addEffects(outcome: Outcome<TaskRunSnapshot>, now: number): void {
    for (const effect of outcome.effects) {
      if (effect.kind === 'enqueue') this.#deferred.add(effect.task_run_id)
      if (effect.kind !== 'cache') continue
      const { cache_key, cache_expiration, state_id } = effect
      // `finalize` of a rule may have replaced the state after the effect was created.
      this.#cache.push({
        id: this.#context.newId(),
        cache_key,
        cache_expiration: cache_expiration ? toMicros(cache_expiration) : null,
        state_id: outcome.newState?.id ?? state_id,
        created: now,
      })
    }
  }

  async flush(tx: Tx): Promise<void> {
    const updated = this.#context.clock.now()
    tx.insertLater('task_run_state', this.states)
    const changed = [...this.#changed.values()].map((run) => ({
      id: run.id,
      updated,
      ...(this.#recent ? { recent_transitions: this.#recent.serialize(run.id) } : {}),
      ...taskTransitionColumns(run),
    }))
    tx.updateLater('task_run', changed, { stored: this.#rows, expected: this.#expected })
    for (const columns of changed) {
      const row = this.#rows.get(columns.id)
      // A finished run has no further transition, as a rule.
      if (row && !isTerminal(columns.state_type as StateType | null)) tx.memory.keep(rememberedTaskRuns, row.id, () => ({ ...row, ...columns }))
    }
    tx.insertLater('task_run_cache', this.#cache)
    tx.insertLater('verdict', this.verdicts)
    await deferTaskRuns(tx, [...this.#deferred], updated)
  }
}
