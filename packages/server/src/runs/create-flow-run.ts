import { unknownReference } from '../errors.ts'
import { mergeLabels } from '../lib/merge-labels.ts'
import { generateRunName } from '../lib/run-name.ts'
import { transitionFlowRun } from '../orchestration/apply-transition.ts'
import { forcedFlowRunPolicy } from '../orchestration/policies.ts'
import type { FlowRunSnapshot } from '../orchestration/rule.ts'
import { createState, withDetails } from '../orchestration/states.ts'
import { HeldRow } from '../storage/database.ts'
import type { CreatedFlowRun, FlowRunDraft } from './command.ts'
import type { Deciding } from './deciding.ts'
import { type FlowRunEventContext, flowRunStateEvent } from './flow-run-events.ts'
import { type FlowRunRow, type FlowRunWithPool, flowRunColumns } from './flow-run-rows.ts'
import { enterParentState } from './kinds.ts'
import { idempotencyKeyOf } from './load.ts'
import { noRunTimes, toStateRow } from './run-state.ts'

/** Creates a run with its first state. If the flow already has a run with the idempotency key, the answer is that run. */
export function createFlowRun(deciding: Deciding, draft: FlowRunDraft): CreatedFlowRun | Error {
  const { references, flowRunsByKey } = deciding.loaded
  const flow = references.flows.get(draft.flow_id)
  if (!flow) return unknownReference(`The flow ${draft.flow_id}`)
  const { parent_task_run_id: parentId, infrastructure_document_id: document } = draft
  if (parentId && deciding.isHeld(parentId)) return new HeldRow(parentId)
  const parentTask = parentId ? deciding.taskRuns.get(parentId) : null
  if (parentTask === undefined) return unknownReference(`The parent task run ${parentId}`)
  const key = draft.idempotency_key ? idempotencyKeyOf(draft.flow_id, draft.idempotency_key) : null
  const earlier = key && (deciding.flowRunsByKey.get(key) ?? flowRunsByKey.get(key))
  if (earlier) return { isNew: false, row: earlier }
  if (document && !draft.planned && !references.documents.has(document)) return unknownReference(`The infrastructure block ${document}`)

  const { changes, context } = deciding
  const ruleContext = deciding.ruleContext()
  const id = context.newId()
  const deployment = draft.deployment_id ? (references.deployments.get(draft.deployment_id) ?? null) : null
  const queue = draft.work_queue_id ? references.queues.get(draft.work_queue_id) : undefined
  const proposed = createState(ruleContext, draft.state ?? { type: 'PENDING' })
  const run = initialSnapshot(id, draft, deployment !== null)
  const outcome = transitionFlowRun(forcedFlowRunPolicy, { ...ruleContext, run, current: null, proposed, slots: deciding.flowRunSlots })
  // The first state of a planned run has no run id; `wasEmitted` in flow-run-events.ts relies on it.
  const entered = draft.planned ? withoutRunId(outcome.run) : outcome.run
  const state = outcome.newState && entered.state
  const row: FlowRunRow = {
    ...draftColumns(draft),
    id,
    created: ruleContext.now,
    updated: ruleContext.now,
    name: draft.name || generateRunName(context.random),
    labels: mergeLabels(
      [deployment ? deployment.labels : flow.labels],
      { 'prefect.flow.id': flow.id, 'prefect.deployment.id': deployment?.id ?? null },
      draft.labels,
    ),
    ...flowRunColumns(entered),
  }
  changes.flowRuns.create(row)
  if (state) changes.flowRunStates.push({ ...toStateRow(state), flow_run_id: id })
  if (state && !draft.planned) {
    const eventContext: FlowRunEventContext = {
      flow,
      deployment,
      workQueue: queue ?? null,
      workPool: queue ? { id: queue.pool_id, name: queue.pool_name, type: queue.pool_type } : null,
      parentTask,
      createdBy: draft.created_by ?? null,
    }
    changes.events.push(flowRunStateEvent(row, null, state, eventContext))
  }
  for (const effect of outcome.effects) if (effect.kind === 'parent') enterParentState(deciding, effect.task_run_id, effect.state)
  const created: FlowRunWithPool = {
    ...row,
    queue_name: queue?.name ?? null,
    work_pool_id: queue?.pool_id ?? null,
    work_pool_name: queue?.pool_name ?? null,
  }
  if (key) deciding.flowRunsByKey.set(key, created)
  return { isNew: true, row: created }
}

const withoutRunId = (run: FlowRunSnapshot): FlowRunSnapshot => ({ ...run, state: run.state && withDetails(run.state, { flow_run_id: null }) })

function initialSnapshot(id: string, draft: FlowRunDraft, deploymentExists: boolean): FlowRunSnapshot {
  return {
    id,
    state: null,
    attempt: 0,
    ...noRunTimes,
    deployment_id: draft.deployment_id ?? null,
    infrastructure_pid: null,
    parent_task_run_id: draft.parent_task_run_id ?? null,
    empirical_policy: draft.empirical_policy,
    deploymentExists,
    deploymentLimit: null,
  }
}

const draftColumns = (draft: FlowRunDraft) => ({
  flow_id: draft.flow_id,
  deployment_id: draft.deployment_id ?? null,
  deployment_version: draft.deployment_version ?? null,
  work_queue_id: draft.work_queue_id ?? null,
  work_queue_name: draft.work_queue_name ?? null,
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
})
