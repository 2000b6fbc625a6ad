import { tagLimitNames } from '../../lib/limit-names.ts'
import { anyType, defineRule, type TaskRunSnapshot } from '../rule.ts'
import { accept } from '../verdicts.ts'

/** A task run that is not running or cancelling has no slots. */
export const releaseTaskSlots = defineRule<TaskRunSnapshot>({
  name: 'release-task-slots',
  from: anyType,
  to: anyType,
  alwaysFinalize: true,
  decide: () => accept,
  finalize({ run, proposed, slots }) {
    if (run.tags.length > 0 && proposed.type !== 'RUNNING' && proposed.type !== 'CANCELLING') slots.release(run.id, tagLimitNames(run.tags))
    return undefined
  },
})
