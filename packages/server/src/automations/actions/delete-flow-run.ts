import { removeFlowRuns } from '../../domains/flow-runs/delete-runs.ts'
import { notFound } from '../../errors.ts'
import { actionKind, callDomain } from '../action-context.ts'
import { resolveFlowRunId, targetResource } from '../action-targets.ts'

export const deleteFlowRun = actionKind('delete-flow-run', async (actionContext, tx) => {
  const id = resolveFlowRunId(actionContext)
  const related = [targetResource('prefect.flow-run', id)]
  await callDomain(related, async () => {
    if ((await removeFlowRuns(actionContext.context, [id])(tx)) === 0) throw notFound('Flow run')
  })
  return { related, details: { status_code: 204 } }
})
