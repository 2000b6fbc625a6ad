import { actionKind } from '../action-context.ts'
import { setDeploymentPaused } from '../set-paused.ts'

export const resumeDeploymentAction = actionKind('resume-deployment', (actionContext, tx) => setDeploymentPaused(actionContext, tx, false))
