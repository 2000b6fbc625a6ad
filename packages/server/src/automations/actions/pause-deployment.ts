import { actionKind } from '../deed.ts'
import { pauseDeployment } from '../pause-target.ts'

export const pauseDeploymentAction = actionKind('pause-deployment', (deed, tx) => pauseDeployment(deed, tx, true))
