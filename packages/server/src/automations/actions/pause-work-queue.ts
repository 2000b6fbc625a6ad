import { actionKind } from '../action-context.ts'
import { setQueuePaused } from '../set-paused.ts'

export const pauseWorkQueue = actionKind('pause-work-queue', (actionContext, tx) => setQueuePaused(actionContext, tx, true))
