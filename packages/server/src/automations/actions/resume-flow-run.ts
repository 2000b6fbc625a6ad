import { prepareResume } from '../../domains/flow-runs/resume.ts'
import { type ActionKind, attempt } from '../deed.ts'
import { flowRunId, target } from '../targets.ts'

export const resumeFlowRun: ActionKind<'resume-flow-run'> = {
  type: 'resume-flow-run',
  async prepare(deed) {
    const id = flowRunId(deed)
    const related = [target('prefect.flow-run', id)]
    const resume = await attempt(related, () => prepareResume(deed.context, id))
    return async (tx) => {
      const { result } = await attempt(related, () => resume(tx))
      if (result.status === 'ACCEPT') return { related, details: {} }
      const why = 'reason' in result.details ? result.details.reason : null
      return { related, details: {}, failure: `The flow run could not be resumed: ${why ?? result.status}` }
    }
  },
}
