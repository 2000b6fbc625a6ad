import { actionKind } from '../deed.ts'
import { pauseAutomation } from '../pause-target.ts'

export const pauseAutomationAction = actionKind('pause-automation', (deed, tx) => pauseAutomation(deed, tx, true))
