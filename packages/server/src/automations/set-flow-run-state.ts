import { type FlowRunProposal, flowRunTransitionBatch } from '../domains/flow-runs/set-state.ts'
import { notFound } from '../errors.ts'
import type { Tx } from '../storage/database.ts'
import { type ActionContext, type ActionResult, callDomain } from './action-context.ts'
import { resolveFlowRunId, targetResource } from './action-targets.ts'

/** Proposes a state for the flow run that the event or the trigger's labels name. Anything but its acceptance is a failure. */
export async function proposeState(actionContext: ActionContext, tx: Tx, state: FlowRunProposal['state'], force = false): Promise<ActionResult> {
  const id = resolveFlowRunId(actionContext)
  const related = [targetResource('prefect.flow-run', id)]
  const { written, result } = await callDomain(related, async () => {
    const [outcome] = await flowRunTransitionBatch(actionContext.context)(tx, [{ id, state, force }])
    if (outcome === undefined || outcome instanceof Error) throw outcome ?? notFound('Flow run')
    return outcome
  })
  const details = { status_code: written ? 201 : 200 }
  if (result.status === 'ACCEPT') return { related, details }
  const why = 'reason' in result.details ? result.details.reason : null
  // A state that the rules put in place of the one proposed was entered nevertheless.
  return { related, details, failure: `The state was not accepted: ${why ?? result.status}` }
}
