import { slotsFull, slotsFullWithRetry } from '../../errors.ts'
import { tagLimitName, tagLimitNames } from '../../orchestration/limits.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import type { LimitRow } from './decay.ts'
import type { SlotRequest } from './slot-batch.ts'

/** One slot of each tag's limit for a task run, for as long as it likes: the clients of this operation renew nothing. */
export const acquireTagSlots = ({ config }: ServerContext, tags: readonly string[], taskRunId: string): SlotRequest<readonly LimitRow[]> => ({
  names: tagLimitNames(tags),
  execute(ledger) {
    const known = new Map(ledger.limitsByName(tagLimitNames(tags)).map((limit) => [limit.name, limit]))
    const limits = [...new Set(tags)].flatMap((tag) => known.get(tagLimitName(tag)) ?? [])
    const closed = limits.find(({ slots }) => slots === 0)
    if (closed) return slotsFull(`The limit ${closed.name} allows no task at all, so this one would wait for ever.`)
    const active = limits.filter((limit) => toBoolean(limit.active))
    const full = active.find((limit) => !ledger.hasFreeSlots(limit, 1))
    if (full)
      return slotsFullWithRetry(`The limit ${full.name} allows ${full.slots} at a time and is full.`, config.concurrency.tag_slot_wait_seconds)
    if (active.length > 0) ledger.acquire(active, 1, { seconds: null, holder: { type: 'task_run', id: taskRunId } })
    return active
  },
})

/** Ends what a task run holds of these tags' limits; all limits that there are of them, held or not. A lease over several ends as a whole. */
export const releaseTagSlots = (tags: readonly string[], taskRunId: string): SlotRequest<readonly LimitRow[]> => ({
  names: tagLimitNames(tags),
  holders: [taskRunId],
  execute(ledger) {
    const limits = ledger.limitsByName(tagLimitNames(tags))
    for (const lease of ledger.leaseIdsOf(taskRunId, limits)) ledger.releaseLease(lease)
    return limits
  },
})
