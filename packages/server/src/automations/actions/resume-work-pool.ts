import { actionKind } from '../deed.ts'
import { pausePool } from '../pause-target.ts'

export const resumeWorkPool = actionKind('resume-work-pool', (deed, tx) => pausePool(deed, tx, false))
