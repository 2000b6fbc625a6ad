import { actionKind } from '../deed.ts'
import { pauseQueue } from '../pause-target.ts'

export const pauseWorkQueue = actionKind('pause-work-queue', (deed, tx) => pauseQueue(deed, tx, true))
