import type { FlowRunBulkSetStateResponse, FlowRunsBulkSetStateBody } from '@millrace/contracts/flow-run.ts'
import { orNull, type Received, Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import type { LeaseMode } from '../../orchestration/rule.ts'
import { changeRunsIn } from '../../runs/batch.ts'
import type { ActingContext } from '../../storage/server-context.ts'
import { toReceivedState } from '../run-states/received-state.ts'
import { listFlowRunIds } from './store.ts'

/** Proposes the state for all runs that match, in one transaction. */
export function bulkSetState(
  context: ActingContext,
  body: Received<typeof FlowRunsBulkSetStateBody>,
  leaseMode: LeaseMode | undefined,
): Promise<FlowRunBulkSetStateResponse> {
  const state = toReceivedState(body.state)
  return context.commands.submit(async (tx) => {
    const ids = await listFlowRunIds(tx, { flow_runs: body.flow_runs }, body.limit)
    const results = await changeRunsIn(
      context,
      tx,
      ids.map((id) => ({ kind: 'propose_flow_run' as const, actor: context.actor, id, state, force: body.force, leaseMode })),
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
