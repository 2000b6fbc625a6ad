import type { FlowRunBulkSetStateResponse, FlowRunsBulkSetStateBody } from '@millrace/contracts/flow-run.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import type { LeaseMode } from '../../orchestration/rule.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toReceivedState } from '../received-state.ts'
import { flowRunTransitionBatch } from './set-state.ts'
import { listFlowRunIds } from './store.ts'

/** Finds the runs and proposes the state for all of them in one transaction. */
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
