import { actionKind } from '../action-context.ts'
import { setAutomationPaused } from '../set-paused.ts'

export const pauseAutomationAction = actionKind('pause-automation', (actionContext, tx) => setAutomationPaused(actionContext, tx, true))
