import type { FlowRunCreate, FlowRunPolicy } from '@millrace/contracts/flow-run.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { invalid } from '../../errors.ts'
import { jsonText, nullableJsonText } from '../../lib/json.ts'
import type { FlowRunRetryPolicy } from '../../orchestration/rule.ts'
import type { FlowRunDraft } from '../../runs/command.ts'
import type { Db } from '../../storage/database.ts'
import { toReceivedState } from '../run-states/received-state.ts'
import { findQueue } from '../work-queues/ensure-queue.ts'

/** Adds the fields that clients expect. The two deprecated fields apply if the new ones are not set. */
export const withDefaultPolicy = (policy: FlowRunPolicy): FlowRunRetryPolicy => ({
  max_retries: policy.max_retries ?? 0,
  retry_delay_seconds: policy.retry_delay_seconds ?? 0,
  retries: policy.retries || policy.max_retries || (policy.retries ?? null),
  retry_delay: policy.retry_delay || policy.retry_delay_seconds || (policy.retry_delay ?? null),
  pause_keys: policy.pause_keys ?? [],
  resuming: policy.resuming ?? false,
  retry_type: policy.retry_type ?? null,
})

/** The policy of a request. Flow runs use whole seconds, but the schema of the deprecated delay field allows fractions. */
export function parsePolicy(policy: FlowRunPolicy): FlowRunRetryPolicy {
  const complete = withDefaultPolicy(policy)
  if (complete.retry_delay !== null && !Number.isInteger(complete.retry_delay)) {
    throw invalid(
      ['body', 'empirical_policy', 'retry_delay'],
      'The retry delay of a flow run must be a whole number of seconds',
      complete.retry_delay,
    )
  }
  return complete
}

/** Without job variables a run has none, but a run with an idempotency key returns null, as in the reference. */
export const jobVariablesText = ({
  job_variables: variables,
  idempotency_key: key,
}: Pick<Received<typeof FlowRunCreate>, 'job_variables' | 'idempotency_key'>): string => nullableJsonText(variables) ?? (key ? 'null' : '{}')

/** The draft of a request. */
export async function toFlowRunDraft(reads: Db, body: Received<typeof FlowRunCreate>): Promise<FlowRunDraft> {
  const queue = body.work_pool_name ? await findQueue(reads, body.work_pool_name, body.work_queue_name) : null
  return {
    flow_id: body.flow_id,
    name: body.name ?? null,
    state: body.state && toReceivedState(body.state),
    flow_version: body.flow_version,
    deployment_id: body.deployment_id,
    parameters: jsonText(body.parameters),
    context: jsonText(body.context),
    empirical_policy: parsePolicy(body.empirical_policy),
    tags: jsonText(body.tags),
    labels: body.labels,
    parent_task_run_id: body.parent_task_run_id,
    infrastructure_document_id: body.infrastructure_document_id,
    idempotency_key: body.idempotency_key,
    work_queue_id: queue?.id ?? null,
    work_queue_name: queue?.name ?? body.work_queue_name,
    job_variables: jobVariablesText(body),
  }
}
