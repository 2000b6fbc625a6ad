import { tagLimitNames } from '../../lib/limit-names.ts'
import { describeFullLimit, limitFacts } from '../limits.ts'
import { anyTypeOrNone, defineRule, type LimitUsage, type RunSlots, type TaskRunSnapshot } from '../rule.ts'
import { abort, accept, wait } from '../verdicts.ts'

/** Enforces the concurrency limits of tags. A task run acquires one slot of each limit of its tags, or none and waits. */
export const secureTaskSlots = defineRule<TaskRunSnapshot>({
  name: 'secure-task-slots',
  from: anyTypeOrNone,
  to: ['RUNNING'],
  decide({ run, slots, settings }) {
    if (run.tags.length === 0) return accept
    const missing = missingSlots(run, slots)
    // First, because waiting does not help if a limit has 0 slots.
    for (const [name, { slots: allowed }] of missing) {
      if (allowed === 0) return abort(`Concurrency limit ${name} has 0 slots; the task can never start. Raise the limit.`, { limit: name, slots: 0 })
    }
    const full = missing.find(([, { free }]) => free <= 0)
    if (!full) return accept
    const [name, usage] = full
    const seconds = settings.tag_slot_wait_seconds
    return wait(seconds, `${describeFullLimit(name, usage)}; try again in ${seconds} seconds.`, limitFacts(name, usage))
  },
  finalize({ run, slots }) {
    if (run.tags.length === 0) return undefined
    const names = missingSlots(run, slots).map(([name]) => name)
    if (names.length > 0) slots.acquire(names, run.id, null)
    return undefined
  },
})

/** The active limits of the tags that the task run holds no slot of. A running task run has its slots already. */
function missingSlots(run: TaskRunSnapshot, slots: RunSlots): (readonly [string, LimitUsage])[] {
  const missing: (readonly [string, LimitUsage])[] = []
  for (const name of tagLimitNames(run.tags)) {
    const usage = slots.usage(name)
    if (usage?.active && !usage.holders.includes(run.id)) missing.push([name, usage])
  }
  return missing
}
