import { actionKind } from '../action-context.ts'
import { setAutomationPaused } from '../set-paused.ts'

export const resumeAutomationAction = actionKind('resume-automation', (actionContext, tx) => setAutomationPaused(actionContext, tx, false))
