import { actionKind } from '../action-context.ts'
import { setPoolPaused } from '../set-paused.ts'

export const resumeWorkPool = actionKind('resume-work-pool', (actionContext, tx) => setPoolPaused(actionContext, tx, false))
