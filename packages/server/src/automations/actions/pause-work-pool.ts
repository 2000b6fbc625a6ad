import { actionKind } from '../deed.ts'
import { pausePool } from '../pause-target.ts'

export const pauseWorkPool = actionKind('pause-work-pool', (deed, tx) => pausePool(deed, tx, true))
