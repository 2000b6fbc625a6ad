import { actionKind } from '../deed.ts'
import { pauseDeployment } from '../pause-target.ts'

export const resumeDeploymentAction = actionKind('resume-deployment', (deed, tx) => pauseDeployment(deed, tx, false))
