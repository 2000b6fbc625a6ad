import { anyOrNone, defineRule } from '../define-rule.ts'
import { heldBy } from '../holders.ts'
import type { LimitStanding, SlotPorts, TaskRunFacts } from '../rule.ts'
import { tagLimitNames } from '../tag-limits.ts'
import { abort, accept, wait } from '../verdict.ts'

/** A tag may have a limit on how many tasks run at once. A task takes one slot of each of its tags' limits, or none and waits. */
export const secureTaskSlots = defineRule<TaskRunFacts>({
  name: 'secure-task-slots',
  from: anyOrNone,
  to: ['RUNNING'],
  decide({ run, slots, settings }) {
    if (run.tags.length === 0) return accept
    const wanted = missingSlots(run, slots)
    // Before any waiting: where a limit is 0 no waiting helps.
    for (const [name, { slots: allowed }] of wanted) {
      if (allowed === 0)
        return abort(`The concurrency limit ${name} allows no task at all, so this one would wait for ever.`, { limit: name, slots: 0 })
    }
    const full = wanted.find(([, { free }]) => free <= 0)
    if (!full) return accept
    const [name, standing] = full
    const seconds = settings.tag_slot_wait_seconds
    return wait(
      seconds,
      `The concurrency limit ${name} allows ${standing.slots} at a time and is full (${heldBy(standing.holders)}); ask again in ${seconds} seconds.`,
      { limit: name, slots: standing.slots, holders: standing.holders.slice(0, 10) },
    )
  },
  settle({ run, slots }) {
    if (run.tags.length === 0) return undefined
    const names = missingSlots(run, slots).map(([name]) => name)
    if (names.length > 0) slots.take(names, run.id, null)
    return undefined
  },
})

/** The limits that hold for this task and of which it has no slot yet: a task that is running already has its slots. */
function missingSlots(run: TaskRunFacts, slots: SlotPorts): (readonly [string, LimitStanding])[] {
  const missing: (readonly [string, LimitStanding])[] = []
  for (const name of tagLimitNames(run.tags)) {
    const standing = slots.limit(name)
    if (standing?.active && !standing.holders.includes(run.id)) missing.push([name, standing])
  }
  return missing
}
