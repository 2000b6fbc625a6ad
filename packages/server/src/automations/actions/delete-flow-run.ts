import { removeFlowRuns } from '../../domains/flow-runs/delete-runs.ts'
import { notFound } from '../../errors.ts'
import { actionKind, attempt } from '../deed.ts'
import { flowRunId, target } from '../targets.ts'

export const deleteFlowRun = actionKind('delete-flow-run', async (deed, tx) => {
  const id = flowRunId(deed)
  const related = [target('prefect.flow-run', id)]
  await attempt(related, async () => {
    if ((await removeFlowRuns(deed.context, [id])(tx)) === 0) throw notFound('Flow run')
  })
  return { related, details: { status_code: 204 } }
})
