import { describeHolders, tagLimitNames } from '../limits.ts'
import { anyTypeOrNone, defineRule, type LimitUsage, type RunSlots, type TaskRunSnapshot } from '../rule.ts'
import { abort, accept, wait } from '../verdicts.ts'

/** A tag may have a limit on how many tasks run at once. A task takes one slot of each of its tags' limits, or none and waits. */
export const secureTaskSlots = defineRule<TaskRunSnapshot>({
  name: 'secure-task-slots',
  from: anyTypeOrNone,
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
    const [name, usage] = full
    const seconds = settings.tag_slot_wait_seconds
    return wait(
      seconds,
      `The concurrency limit ${name} allows ${usage.slots} at a time and is full (${describeHolders(usage.holders)}); ask again in ${seconds} seconds.`,
      { limit: name, slots: usage.slots, holders: usage.holders.slice(0, 10) },
    )
  },
  finalize({ run, slots }) {
    if (run.tags.length === 0) return undefined
    const names = missingSlots(run, slots).map(([name]) => name)
    if (names.length > 0) slots.acquire(names, run.id, null)
    return undefined
  },
})

/** The limits that hold for this task and of which it has no slot yet: a task that is running already has its slots. */
function missingSlots(run: TaskRunSnapshot, slots: RunSlots): (readonly [string, LimitUsage])[] {
  const missing: (readonly [string, LimitUsage])[] = []
  for (const name of tagLimitNames(run.tags)) {
    const usage = slots.usage(name)
    if (usage?.active && !usage.holders.includes(run.id)) missing.push([name, usage])
  }
  return missing
}
