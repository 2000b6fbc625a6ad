import type { Labels } from '@millrace/contracts/primitives.ts'
import { unknownReference } from '../../errors.ts'
import { generateRunName } from '../../lib/run-name.ts'
import type { Micros } from '../../lib/time.ts'
import { transitionFlowRun } from '../../orchestration/apply-transition.ts'
import { forcedFlowRunPolicy } from '../../orchestration/policies.ts'
import type { FlowRunRetryPolicy, FlowRunSnapshot } from '../../orchestration/rule.ts'
import { createState, type ReceivedState, withDetails } from '../../orchestration/states.ts'
import { type Batch, batchAfterReads } from '../../storage/batch.ts'
import { statement, type Tx } from '../../storage/database.ts'
import { rowKind } from '../../storage/remembered-rows.ts'
import { perServer } from '../../storage/server-context.ts'
import type { Row } from '../../storage/tables.ts'
import { loadRunSlots } from '../concurrency-limits/run-slots.ts'
import { mergeLabels } from '../merge-labels.ts'
import { toStateRow } from '../run-state.ts'
import { toRuleSettings } from '../state-proposals.ts'
import { enterParentStates, type ParentState } from '../task-runs/set-state.ts'
import { type FlowRunEventContext, flowRunStateEvent } from './events.ts'
import { rememberedFlowRuns } from './remembered-runs.ts'
import { type FlowRunWithPool, readFlowRunsByKey } from './store.ts'
import { transitionColumns } from './transition-store.ts'

/** A flow run to create. JSON fields are text. */
export interface FlowRunDraft {
  readonly flow_id: string
  readonly name?: string | null
  readonly state?: ReceivedState | null
  readonly flow_version?: string | null
  readonly deployment_id?: string | null
  readonly deployment_version?: string | null
  readonly parameters: string
  readonly context: string
  readonly empirical_policy: FlowRunRetryPolicy
  readonly tags: string
  readonly labels?: Labels | null
  readonly parent_task_run_id?: string | null
  readonly infrastructure_document_id?: string | null
  readonly idempotency_key?: string | null
  readonly work_queue_id?: string | null
  readonly work_queue_name?: string | null
  readonly job_variables?: string | null
  readonly auto_scheduled?: boolean
  readonly created_by?: FlowRunEventContext['createdBy']
  /** Created by a schedule. There are many such runs, so they have no event before their first transition. */
  readonly planned?: boolean
}

export interface CreatedFlowRun {
  /** False if a run with the idempotency key exists; `row` is that run, unchanged. */
  readonly isNew: boolean
  readonly row: FlowRunWithPool
}

/** Creates runs with their first state. If the flow already has a run with the idempotency key, the result is that run. */
export const flowRunCreationBatch = perServer(
  (context): Batch<FlowRunDraft, CreatedFlowRun> =>
    batchAfterReads(
      (tx, drafts) => Promise.all([readReferences(tx, drafts), readRunsByKey(tx, drafts)]),
      async (tx, drafts, [references, runsByKey]) => {
        const { clock, newId, random } = context
        const slots = await loadRunSlots(tx, context, 'flow_run', new Set())
        const settings = toRuleSettings(context.config)
        const runs: Row<'flow_run'>[] = []
        const states: Row<'flow_run_state'>[] = []
        const parents: ParentState[] = []

        const results = drafts.map((draft): CreatedFlowRun | Error => {
          const flow = references.flows.get(draft.flow_id)
          if (!flow) return unknownReference(`The flow ${draft.flow_id}`)
          const parentTask = draft.parent_task_run_id ? references.tasks.get(draft.parent_task_run_id) : null
          if (parentTask === undefined) return unknownReference(`The parent task run ${draft.parent_task_run_id}`)
          const key = draft.idempotency_key ? idempotencyKeyOf(draft.flow_id, draft.idempotency_key) : null
          const earlier = key && runsByKey.get(key)
          if (earlier) return { isNew: false, row: earlier }
          const document = draft.infrastructure_document_id
          if (document && !draft.planned && !references.documents.has(document)) return unknownReference(`The infrastructure block ${document}`)

          const now = clock.now()
          const id = newId()
          const deployment = draft.deployment_id ? (references.deployments.get(draft.deployment_id) ?? null) : null
          const queue = draft.work_queue_id ? references.queues.get(draft.work_queue_id) : undefined
          const stateContext = { now, newId }
          const proposed = createState(stateContext, draft.state ?? { type: 'PENDING' })
          const run = initialSnapshot(id, draft, deployment !== null)
          const outcome = transitionFlowRun(forcedFlowRunPolicy, {
            ...stateContext,
            run,
            current: null,
            proposed,
            slots,
            settings,
            random: random.next,
          })
          // The first state of a planned run has no run id; `wasEmitted` in events.ts relies on it.
          const entered = draft.planned ? withoutRunId(outcome.run) : outcome.run
          const state = outcome.newState && entered.state
          const eventContext: FlowRunEventContext = {
            flow,
            deployment,
            workQueue: queue ?? null,
            workPool: queue ? { id: queue.pool_id, name: queue.pool_name, type: queue.pool_type } : null,
            parentTask,
            createdBy: draft.created_by ?? null,
          }
          const row = toRow(id, draft, entered, now, {
            name: draft.name || generateRunName(random),
            labels: mergeLabels(
              [deployment ? deployment.labels : flow.labels],
              { 'prefect.flow.id': flow.id, 'prefect.deployment.id': deployment?.id ?? null },
              draft.labels,
            ),
            work_queue_name: draft.work_queue_name ?? null,
          })
          runs.push(row)
          keepNewRun(tx, row, eventContext)
          if (state) {
            states.push({ ...toStateRow(state), flow_run_id: id })
            if (!draft.planned)
              tx.emit(flowRunStateEvent({ id, name: row.name, tags: row.tags, run_count: row.run_count }, null, state, eventContext))
          }
          for (const effect of outcome.effects) if (effect.kind === 'parent') parents.push(effect)
          const created = { ...row, queue_name: queue?.name ?? null, work_pool_id: queue?.pool_id ?? null, work_pool_name: queue?.pool_name ?? null }
          if (key) runsByKey.set(key, created)
          return { isNew: true, row: created }
        })

        tx.insertLater('flow_run', runs)
        tx.insertLater('flow_run_state', states)
        if (parents.length > 0) await enterParentStates(context, tx, parents)
        return results
      },
    ),
)

/** A run of a deployment is read: its limit is not known here. */
function keepNewRun(tx: Tx, row: Row<'flow_run'>, { flow, parentTask }: FlowRunEventContext): void {
  if (row.deployment_id !== null || row.work_queue_id !== null) return
  tx.memory.keep(rememberedFlowRuns, row.id, () => ({
    ...row,
    ...unrelated,
    flow_name: flow.name,
    flow_tags: flow.tags,
    task_id: parentTask?.id ?? null,
    task_name: parentTask?.name ?? null,
    task_tags: parentTask?.tags ?? null,
    taskKeys: new Set<string>(),
  }))
}

/** Of a run without a deployment and a work queue. */
const unrelated = Object.freeze({
  known_deployment_id: null,
  deployment_name: null,
  deployment_tags: null,
  concurrency_options: null,
  limit_id: null,
  limit_name: null,
  limit_slots: null,
  queue_id: null,
  queue_name: null,
  pool_id: null,
  pool_name: null,
  pool_type: null,
})

const withoutRunId = (run: FlowRunSnapshot): FlowRunSnapshot => ({ ...run, state: run.state && withDetails(run.state, { flow_run_id: null }) })

const idempotencyKeyOf = (flowId: string, key: string): string => `${flowId} ${key}`

async function readRunsByKey(tx: Tx, drafts: readonly FlowRunDraft[]): Promise<Map<string, FlowRunWithPool>> {
  const keys = drafts.flatMap(({ idempotency_key: key }) => (key ? [key] : []))
  if (keys.length === 0) return new Map()
  const rows = await readFlowRunsByKey(tx, keys)
  return new Map(rows.map((row) => [idempotencyKeyOf(row.flow_id, row.idempotency_key as string), row]))
}

function initialSnapshot(id: string, draft: FlowRunDraft, deploymentExists: boolean): FlowRunSnapshot {
  return {
    id,
    state: null,
    run_count: 0,
    expected_start_time: null,
    next_scheduled_start_time: null,
    start_time: null,
    end_time: null,
    total_run_time: 0,
    deployment_id: draft.deployment_id ?? null,
    infrastructure_pid: null,
    parent_task_run_id: draft.parent_task_run_id ?? null,
    empirical_policy: draft.empirical_policy,
    deploymentExists,
    deploymentLimit: null,
  }
}

type DerivedColumns = Pick<Row<'flow_run'>, 'name' | 'labels' | 'work_queue_name'>

function toRow(id: string, draft: FlowRunDraft, run: FlowRunSnapshot, now: Micros, derived: DerivedColumns): Row<'flow_run'> {
  return {
    id,
    created: now,
    updated: now,
    flow_id: draft.flow_id,
    deployment_id: draft.deployment_id ?? null,
    deployment_version: draft.deployment_version ?? null,
    work_queue_id: draft.work_queue_id ?? null,
    flow_version: draft.flow_version ?? null,
    parameters: draft.parameters,
    idempotency_key: draft.idempotency_key ?? null,
    context: draft.context,
    tags: draft.tags,
    parent_task_run_id: draft.parent_task_run_id ?? null,
    infrastructure_document_id: draft.infrastructure_document_id ?? null,
    infrastructure_pid: null,
    created_by: draft.created_by ? JSON.stringify(draft.created_by) : null,
    auto_scheduled: draft.auto_scheduled ?? false,
    job_variables: draft.job_variables ?? '{}',
    worker_name: null,
    recent_transitions: null,
    ...derived,
    ...transitionColumns(run, run.state),
  }
}

type Tagged = { id: string; name: string; tags: string }
type Labelled = Tagged & { labels: string }
type Queue = { id: string; name: string; pool_id: string; pool_name: string; pool_type: string }

const flowsById = statement((dialect) => `select id, name, tags, labels from flow where ${dialect.inList('id', '$1', 'uuid')}`)
const deploymentsById = statement((dialect) => `select id, name, tags, labels from deployment where ${dialect.inList('id', '$1', 'uuid')}`)
const tasksById = statement((dialect) => `select id, name, tags from task_run where ${dialect.inList('id', '$1', 'uuid')}`)
const documentsById = statement((dialect) => `select id from block_document where ${dialect.inList('id', '$1', 'uuid')}`)
const queuesById = statement(
  (dialect) => `select work_queue.id, work_queue.name, work_pool.id as pool_id, work_pool.name as pool_name, work_pool.type as pool_type
    from work_queue join work_pool on work_pool.id = work_queue.work_pool_id where ${dialect.inList('work_queue.id', '$1', 'uuid')}`,
)

const rememberedFlows = rowKind<Labelled>('flow')

async function readFlows(tx: Tx, ids: readonly string[]): Promise<Map<string, Labelled>> {
  const unique = [...new Set(ids)]
  const found = unique.flatMap((id) => tx.memory.find(rememberedFlows, id) ?? [])
  if (found.length < unique.length) {
    found.splice(0, found.length, ...(await tx.all<Labelled>(flowsById, [tx.dialect.list(unique)])))
    for (const flow of found) tx.memory.keep(rememberedFlows, flow.id, () => flow)
  }
  return new Map(found.map((flow) => [flow.id, flow]))
}

/** Reads the rows that the drafts refer to. A table without references is not queried. */
async function readReferences(tx: Tx, drafts: readonly FlowRunDraft[]) {
  const read = async <R extends { id: string }>(query: typeof flowsById, ids: (string | null | undefined)[]): Promise<Map<string, R>> => {
    const unique = [...new Set(ids.filter((id): id is string => Boolean(id)))]
    const rows = unique.length === 0 ? [] : await tx.all<R>(query, [tx.dialect.list(unique)])
    return new Map(rows.map((row) => [row.id, row]))
  }
  const [flows, deployments, tasks, queues, documents] = await Promise.all([
    readFlows(
      tx,
      drafts.map((draft) => draft.flow_id),
    ),
    read<Labelled>(
      deploymentsById,
      drafts.map((draft) => draft.deployment_id),
    ),
    read<Tagged>(
      tasksById,
      drafts.map((draft) => draft.parent_task_run_id),
    ),
    read<Queue>(
      queuesById,
      drafts.map((draft) => draft.work_queue_id),
    ),
    read(
      documentsById,
      drafts.map((draft) => draft.infrastructure_document_id),
    ),
  ])
  return { flows, deployments, tasks, queues, documents }
}
