import { prepareResume } from '../../domains/flow-runs/resume.ts'
import { type ActionKind, callDomain } from '../action-context.ts'
import { resolveFlowRunId, targetResource } from '../action-targets.ts'

export const resumeFlowRun: ActionKind<'resume-flow-run'> = {
  type: 'resume-flow-run',
  async prepare(actionContext) {
    const id = resolveFlowRunId(actionContext)
    const related = [targetResource('prefect.flow-run', id)]
    const resume = await callDomain(related, () => prepareResume(actionContext.context, id))
    return async (tx) => {
      const { result } = await callDomain(related, () => resume(tx))
      if (result.status === 'ACCEPT') return { related, details: {} }
      const why = 'reason' in result.details ? result.details.reason : null
      return { related, details: {}, failure: `The flow run could not be resumed: ${why ?? result.status}` }
    }
  },
}
