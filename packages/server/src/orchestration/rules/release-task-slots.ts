import { anyType, defineRule } from '../define-rule.ts'
import type { TaskRunFacts } from '../rule.ts'
import { tagLimitNames } from '../tag-limits.ts'
import { accept } from '../verdict.ts'

/** A task that is neither running nor being stopped has no slots, however it came by them. */
export const releaseTaskSlots = defineRule<TaskRunFacts>({
  name: 'release-task-slots',
  from: anyType,
  to: anyType,
  always: true,
  decide: () => accept,
  settle({ run, proposed, slots }) {
    if (run.tags.length > 0 && proposed.type !== 'RUNNING' && proposed.type !== 'CANCELLING') slots.release(run.id, tagLimitNames(run.tags))
    return undefined
  },
})
