import { resumeFlowRun as resume } from '../../domains/flow-runs/resume.ts'
import { actionKind, attempt } from '../deed.ts'
import { flowRunId, target } from '../targets.ts'

export const resumeFlowRun = actionKind('resume-flow-run', async (deed, tx) => {
  const id = flowRunId(deed)
  const related = [target('prefect.flow-run', id)]
  const { result } = await attempt(related, () => resume(deed.parts, id, null)(tx))
  if (result.status === 'ACCEPT') return { related, details: {} }
  const why = 'reason' in result.details ? result.details.reason : null
  return { related, details: {}, failure: `The flow run could not be resumed: ${why ?? result.status}` }
})
