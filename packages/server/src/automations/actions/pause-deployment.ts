import { actionKind } from '../action-context.ts'
import { setDeploymentPaused } from '../set-paused.ts'

export const pauseDeploymentAction = actionKind('pause-deployment', (actionContext, tx) => setDeploymentPaused(actionContext, tx, true))
