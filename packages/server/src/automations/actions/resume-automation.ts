import { actionKind } from '../deed.ts'
import { pauseAutomation } from '../pause-target.ts'

export const resumeAutomationAction = actionKind('resume-automation', (deed, tx) => pauseAutomation(deed, tx, false))
