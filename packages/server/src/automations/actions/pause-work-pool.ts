import { actionKind } from '../action-context.ts'
import { setPoolPaused } from '../set-paused.ts'

export const pauseWorkPool = actionKind('pause-work-pool', (actionContext, tx) => setPoolPaused(actionContext, tx, true))
