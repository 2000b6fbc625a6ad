import { notFound } from '../../errors.ts'
import { transitionFlowRun } from '../../orchestration/apply-transition.ts'
import type { Policy } from '../../orchestration/define-policy.ts'
import { flowRunPolicyFor } from '../../orchestration/policies.ts'
import type { FlowRunSnapshot, LeaseMode } from '../../orchestration/rule.ts'
import { createState, type ReceivedState } from '../../orchestration/states.ts'
import type { Tx } from '../../storage/database.ts'
import { perServer } from '../../storage/per-server.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import type { Row } from '../../storage/tables.ts'
import type { Batch } from '../../storage/write-queue.ts'
import { loadRunSlots } from '../concurrency-limits/run-slots.ts'
import { RecentTransitions } from '../recent-transitions.ts'
import { toRuleSettings } from '../rule-settings.ts'
import { toStateResponse, toStateRow } from '../run-state.ts'
import type { SetStateResult } from '../set-state-result.ts'
import { enterParentStates, type ParentState } from '../task-runs/set-state.ts'
import { toVerdictRows } from '../verdicts.ts'
import { flowRunStateEvent } from './events.ts'
import { lockSnapshots, type SnapshotRow, toEventContext, toSnapshot, transitionColumns } from './snapshot.ts'

export interface FlowRunProposal {
  readonly id: string
  readonly state: ReceivedState
  readonly force?: boolean
  readonly leaseMode?: LeaseMode | undefined
  /** The worker that proposes, where it gives its name. */
  readonly worker?: string | undefined
  /** For services that have rules of their own. */
  readonly policy?: Policy<FlowRunSnapshot>
}

/**
 * Proposes states: for one run, for fifty of a bulk operation and for every late run it is the same function. The runs are locked
 * and read in one query, judged one after the other, and what came of it is written in a constant number of statements.
 */
export const flowRunTransitionBatch = perServer(
  (context): Batch<FlowRunProposal, SetStateResult> =>
    async (tx, proposals) => {
      const { clock, random, newId } = context
      const rows = new Map((await lockSnapshots(tx, [...new Set(proposals.map(({ id }) => id))])).map((row) => [row.id, row]))
      const runs = new Map([...rows.values()].map((row) => [row.id, toSnapshot(row)]))
      const slots = await loadRunSlots(tx, context, 'flow_run', limitNames(rows.values()))
      const settings = toRuleSettings(context.config)
      const recent = await RecentTransitions.load(tx, 'flow_run', rows.values(), proposals)
      const writes = new TransitionWrites(context, recent, rows)

      const results = proposals.map((proposal): SetStateResult | Error => {
        const run = runs.get(proposal.id)
        const row = rows.get(proposal.id)
        if (!run || !row) return notFound('Flow run')
        const repeated = recent.previousResult(proposal)
        if (repeated && (proposal.force || !isCurrentResult(repeated, run))) return repeated
        const maker = { now: clock.now(), newId }
        const proposed = createState(maker, proposal.state)
        const policy = proposal.policy ?? flowRunPolicyFor(proposal.force ?? false)
        const { leaseMode } = proposal
        const outcome = transitionFlowRun(policy, { ...maker, run, current: run.state, proposed, slots, settings, leaseMode, random: random.next })
        const { newState: written, status, details } = outcome
        recent.add(proposal, outcome)
        if (outcome.run !== run) writes.change(outcome.run)
        if (written?.type === 'PENDING' && proposal.worker) writes.claims.set(run.id, proposal.worker)
        runs.set(run.id, outcome.run)
        writes.verdicts.push(...toVerdictRows(newId(), run.id, maker.now, run.state?.type ?? null, proposed.type, outcome))
        for (const effect of outcome.effects) if (effect.kind === 'parent') writes.parents.push(effect)
        if (written) {
          writes.states.push({ ...toStateRow(written), flow_run_id: run.id })
          tx.emit(
            flowRunStateEvent(
              { id: run.id, name: row.name, tags: row.tags, run_count: outcome.run.run_count },
              run.state,
              written,
              toEventContext(row),
            ),
          )
        }
        const state = written ?? run.state
        return { written: written !== null, result: { state: state && toStateResponse(state), status, details } }
      })

      await slots.flush()
      await writes.flush(tx)
      return results
    },
)

/** An accepted transition to the current state is left to `prevent-duplicate-transitions`: it rejects with that state, as the reference does. */
const isCurrentResult = ({ result }: SetStateResult, run: FlowRunSnapshot): boolean =>
  result.status === 'ACCEPT' && result.state?.id === run.state?.id

/** What a batch came to, written at its end. */
class TransitionWrites {
  /** Workers that have set a run to Pending, by the id of the run. */
  readonly claims = new Map<string, string>()
  readonly states: Row<'flow_run_state'>[] = []
  readonly verdicts: Row<'verdict'>[] = []
  readonly parents: ParentState[] = []
  /** The last standing of each run: two proposals for one run are one update. */
  readonly #changed = new Map<string, FlowRunSnapshot>()
  readonly #context: ServerContext
  readonly #recent: RecentTransitions
  readonly #rows: ReadonlyMap<string, SnapshotRow>

  constructor(context: ServerContext, recent: RecentTransitions, rows: ReadonlyMap<string, SnapshotRow>) {
    this.#context = context
    this.#recent = recent
    this.#rows = rows
  }

  change(run: FlowRunSnapshot): void {
    this.#changed.set(run.id, run)
  }

  async flush(tx: Tx): Promise<void> {
    const updated = this.#context.clock.now()
    await tx.insert('flow_run_state', this.states)
    await tx.update(
      'flow_run',
      [...this.#changed.values()].map((run) => ({
        id: run.id,
        updated,
        worker_name: this.claims.get(run.id) ?? this.#rows.get(run.id)?.worker_name ?? null,
        recent_transitions: this.#recent.serialize(run.id),
        ...transitionColumns(run, run.state),
      })),
    )
    await tx.insert('verdict', this.verdicts)
    if (this.parents.length > 0) await enterParentStates(this.#context, tx, this.parents)
  }
}

function limitNames(rows: Iterable<SnapshotRow>): Set<string> {
  return new Set([...rows].flatMap(({ limit_name }) => (limit_name === null ? [] : [limit_name])))
}
