import type { FlowRunBulkSetStateResponse, FlowRunsBulkSetStateBody } from '@millrace/contracts/flow-run.ts'
import { orNull, type Received, Text } from '@millrace/contracts/primitives.ts'
import { isTerminal, type StateType } from '@millrace/contracts/state.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import type { ServerEvent } from '../../lib/server-events.ts'
import { type Policy, transitionFlowRun } from '../../orchestration/apply-transition.ts'
import { flowRunPolicyFor } from '../../orchestration/policies.ts'
import type { FlowRunSnapshot, LeaseMode } from '../../orchestration/rule.ts'
import { createState, type ReceivedState } from '../../orchestration/states.ts'
import { type Batch, batchOnRows } from '../../storage/batch.ts'
import type { Tx } from '../../storage/database.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'
import type { Row } from '../../storage/tables.ts'
import { loadRunSlots } from '../concurrency-limits/run-slots.ts'
import { evaluateChecked, type FoundRuns } from '../found-runs.ts'
import { RecentTransitions } from '../recent-transitions.ts'
import { toReceivedState, toStateResponse, toStateRow } from '../run-state.ts'
import { type SetStateResult, toRuleSettings, toVerdictRows, uniqueIds } from '../state-proposals.ts'
import { enterParentStates, type ParentState } from '../task-runs/set-state.ts'
import { flowRunStateEvent } from './events.ts'
import { findSnapshots, type RememberedFlowRun, rememberedFlowRuns } from './remembered-runs.ts'
import { listFlowRunIds } from './store.ts'
import { lockSnapshots, type SnapshotRow, toEventContext, toSnapshot, transitionColumns } from './transition-store.ts'

export interface FlowRunProposal {
  readonly id: string
  readonly state: ReceivedState
  readonly force?: boolean
  readonly leaseMode?: LeaseMode | undefined
  /** The name of the worker that sent the proposal. */
  readonly worker?: string | undefined
  /** Overrides the policy; services have their own. */
  readonly policy?: Policy<FlowRunSnapshot>
}

/**
 * Applies proposals of states: the same function for one run, for a bulk operation and for all late runs. It locks and reads the runs in one query, unless it
 * remembers them, evaluates the proposals in order, and writes the results in a constant number of statements.
 */
export const flowRunTransitionBatch = perServer(
  (context): Batch<FlowRunProposal, SetStateResult> =>
    batchOnRows(
      'flow_run',
      (tx, proposals) => findSnapshots(tx, uniqueIds(proposals)),
      async (tx, proposals, found) => {
        const { results, slots, writes } = await evaluateChecked(
          proposals,
          found,
          (rows) => evaluateProposals(context, tx, proposals, rows),
          () => lockSnapshots(tx, uniqueIds(proposals)),
        )
        await slots.flush()
        await writes.flush(tx)
        return results
      },
    ),
)

/** Evaluates the proposals in order. Writes nothing. */
async function evaluateProposals(context: ServerContext, tx: Tx, proposals: readonly FlowRunProposal[], found: FoundRuns<SnapshotRow>) {
  const { clock, random, newId } = context
  const rows = new Map(found.rows.map((row) => [row.id, row]))
  const runs = new Map(found.rows.map((row) => [row.id, toSnapshot(row)]))
  const slots = await loadRunSlots(tx, context, 'flow_run', limitNames(found.rows))
  const settings = toRuleSettings(context.config)
  const recent = await RecentTransitions.load(tx, 'flow_run', found.rows, proposals)
  const writes = new TransitionWrites(context, { recent, rows, expected: found.expected })

  const results = proposals.map((proposal): SetStateResult | Error => {
    const run = runs.get(proposal.id)
    const row = rows.get(proposal.id)
    if (!run || !row) return notFound('Flow run')
    const repeated = recent.previousResult(proposal)
    if (repeated && (proposal.force || !isCurrentResult(repeated, run))) return repeated
    const stateContext = { now: clock.now(), newId }
    const proposed = createState(stateContext, proposal.state)
    const policy = proposal.policy ?? flowRunPolicyFor(proposal.force ?? false)
    const { leaseMode } = proposal
    const outcome = transitionFlowRun(policy, {
      ...stateContext,
      run,
      current: run.state,
      proposed,
      slots,
      settings,
      leaseMode,
      random: random.next,
    })
    const { newState, status, details } = outcome
    recent.add(proposal, outcome)
    if (outcome.run !== run) writes.change(outcome.run)
    if (newState?.type === 'PENDING' && proposal.worker) writes.claims.set(run.id, proposal.worker)
    runs.set(run.id, outcome.run)
    writes.verdicts.push(...toVerdictRows(newId, run.id, stateContext.now, run.state?.type ?? null, proposed.type, outcome))
    for (const effect of outcome.effects) if (effect.kind === 'parent') writes.parents.push(effect)
    if (newState) {
      writes.states.push({ ...toStateRow(newState), flow_run_id: run.id })
      writes.events.push(
        flowRunStateEvent({ id: run.id, name: row.name, tags: row.tags, run_count: outcome.run.run_count }, run.state, newState, toEventContext(row)),
      )
    }
    const state = newState ?? run.state
    return { written: newState !== null, result: { state: state && toStateResponse(state), status, details } }
  })
  return { results, slots, writes }
}

/** A repeated request that led to the current state is left to the rule `prevent-duplicate-transitions`, which rejects it like the reference does. */
const isCurrentResult = ({ result }: SetStateResult, run: FlowRunSnapshot): boolean =>
  result.status === 'ACCEPT' && result.state?.id === run.state?.id

interface KnownRuns {
  readonly recent: RecentTransitions
  readonly rows: ReadonlyMap<string, SnapshotRow>
  readonly expected: ReadonlyMap<string, number>
}

/** Collects the writes of a batch and runs them at its end. */
class TransitionWrites {
  /** The workers that set a run to Pending, by run id. */
  readonly claims = new Map<string, string>()
  readonly states: Row<'flow_run_state'>[] = []
  readonly events: ServerEvent[] = []
  readonly verdicts: Row<'verdict'>[] = []
  readonly parents: ParentState[] = []
  /** The last version of each run: two proposals for one run are one update. */
  readonly #changed = new Map<string, FlowRunSnapshot>()
  readonly #context: ServerContext
  readonly #known: KnownRuns

  constructor(context: ServerContext, known: KnownRuns) {
    this.#context = context
    this.#known = known
  }

  change(run: FlowRunSnapshot): void {
    this.#changed.set(run.id, run)
  }

  async flush(tx: Tx): Promise<void> {
    const { recent, rows, expected } = this.#known
    const updated = this.#context.clock.now()
    const changed = [...this.#changed.values()].map((run) => ({
      id: run.id,
      updated,
      worker_name: this.claims.get(run.id) ?? rows.get(run.id)?.worker_name ?? null,
      recent_transitions: recent.serialize(run.id),
      ...transitionColumns(run, run.state),
    }))
    for (const event of this.events) tx.emit(event)
    tx.insertLater('flow_run_state', this.states)
    tx.updateLater('flow_run', changed, { stored: rows, expected })
    for (const columns of changed) keepSnapshot(tx, rows.get(columns.id) as SnapshotRow, columns)
    tx.insertLater('verdict', this.verdicts)
    if (this.parents.length > 0) await enterParentStates(this.#context, tx, this.parents)
  }
}

/** A finished run has no further transition, as a rule. */
function keepSnapshot(tx: Tx, row: SnapshotRow, changes: Pick<RememberedFlowRun, 'id' | 'updated' | 'state_type'>): void {
  if (isTerminal(changes.state_type as StateType | null)) return
  tx.memory.keep(rememberedFlowRuns, row.id, () => ({ labels: null, taskKeys: null, ...row, ...changes }))
}

function limitNames(rows: Iterable<SnapshotRow>): Set<string> {
  return new Set([...rows].flatMap(({ limit_name }) => (limit_name === null ? [] : [limit_name])))
}

/** Proposes the state for all runs that match, in one transaction. */
export function bulkSetState(
  context: ServerContext,
  body: Received<typeof FlowRunsBulkSetStateBody>,
  leaseMode: LeaseMode | undefined,
): Promise<FlowRunBulkSetStateResponse> {
  const state = toReceivedState(body.state)
  return context.writeQueue.submit(async (tx) => {
    const ids = await listFlowRunIds(tx, { flow_runs: body.flow_runs }, body.limit)
    const results = await flowRunTransitionBatch(context)(
      tx,
      ids.map((id) => ({ id, state, force: body.force, leaseMode })),
    )
    return { results: results.flatMap((result, index) => (result instanceof Error ? [] : [{ flow_run_id: ids[index] as string, ...result.result }])) }
  })
}

/** The header with the lease mode of the client. Unknown values are ignored. */
export const LeaseModeHeaders = Type.Object({ 'x-service-slots': orNull(Text) })

/** A worker may also send its name. It is stored on the run, so that the run is crashed if the worker goes offline. */
export const ProposalHeaders = Type.Object({ ...LeaseModeHeaders.properties, 'x-service-worker': orNull(Text) })

export function parseLeaseMode({ 'x-service-slots': mode }: { readonly 'x-service-slots'?: string | null }): LeaseMode | undefined {
  return mode === 'renews' || mode === 'brings' ? mode : undefined
}
