import { actionKind } from '../action-context.ts'
import { setQueuePaused } from '../set-paused.ts'

export const resumeWorkQueue = actionKind('resume-work-queue', (actionContext, tx) => setQueuePaused(actionContext, tx, false))
