import { actionKind } from '../deed.ts'
import { pauseQueue } from '../pause-target.ts'

export const resumeWorkQueue = actionKind('resume-work-queue', (deed, tx) => pauseQueue(deed, tx, false))
