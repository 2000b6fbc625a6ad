import type { ConcurrencyLeaseHolder } from '@millrace/contracts/global-concurrency-limit.ts'
import { invalid, leaseGone, slotsFull, slotsFullWithRetry } from '../../errors.ts'
import { tagLimitName, tagLimitNames } from '../../lib/limit-names.ts'
import { hasDecay, type LimitRow } from '../../runs/slots/decay.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { retryAfterSeconds } from './retry-delay.ts'
import type { SlotRequest } from './slot-batch.ts'

export interface AcquireSlots {
  readonly names: readonly string[]
  readonly slots: number
  readonly mode: 'concurrency' | 'rate_limit'
  /** A retry of a denied request: its slots are already counted as denied. */
  readonly isRetry?: boolean
  /** Without a lease the slots are held until a caller releases as many. */
  readonly lease: { readonly seconds: number; readonly holder: ConcurrencyLeaseHolder | null } | null
}

export interface AcquiredSlots {
  readonly limits: readonly LimitRow[]
  readonly lease_id: string
}

/** Acquires slots of all limits or of none; a denial says when to retry. Inactive limits never deny. */
export function acquireSlots(
  { config, random }: ServerContext,
  { names, slots, mode, lease, isRetry = false }: AcquireSlots,
): SlotRequest<AcquiredSlots> {
  return {
    names,
    execute(ledger) {
      const limits = ledger.limitsByName(names)
      const active = limits.filter((limit) => toBoolean(limit.active))
      const tooSmall = active.find((limit) => limit.slots < slots)
      if (tooSmall)
        return invalid(
          ['body', 'slots'],
          `Cannot acquire ${slots} slots at once: concurrency limit ${tooSmall.name} has only ${tooSmall.slots}.`,
          slots,
        )
      const withoutDecay = mode === 'rate_limit' ? active.filter((limit) => !hasDecay(limit)) : []
      if (withoutDecay.length > 0) {
        const named = withoutDecay.map(({ name }) => `'${name}'`).join(', ')
        return invalid(['body', 'mode'], `Rate limiting requires a slot decay. Limits without one: ${named}.`, mode)
      }
      if (active.some((limit) => !ledger.hasFreeSlots(limit, slots))) {
        const denials = active.map((limit) => ({ limit, denied: isRetry ? ledger.deniedSlots(limit) : ledger.recordDenial(limit, slots) }))
        return slotsFullWithRetry('Not enough free slots.', retryAfterSeconds(denials, slots, config.concurrency, random.next()))
      }
      return { limits, lease_id: ledger.acquire(limits, slots, lease) }
    },
  }
}

export interface ReleaseSlots {
  readonly names: readonly string[]
  readonly slots: number
  /** Total time for which the slots were held. */
  readonly occupancy_seconds: number | null
}

/** Releases slots that were acquired without a lease. Returns the existing limits among the names. */
export function releaseSlots({ names, slots, occupancy_seconds }: ReleaseSlots): SlotRequest<readonly LimitRow[]> {
  return {
    names,
    anonymousSlots: slots,
    execute(ledger) {
      const limits = ledger.limitsByName(names)
      for (const limit of limits.filter(({ active }) => toBoolean(active))) {
        ledger.releaseAnonymous(limit, slots)
        if (occupancy_seconds !== null) ledger.recordOccupancy(limit, slots, occupancy_seconds)
      }
      return limits
    },
  }
}

/** Ends a lease and returns its slots. A missing lease is no error, so that clients can repeat the request. */
export const endLease = (leaseId: string): SlotRequest<void> => ({ leases: [leaseId], execute: (ledger) => ledger.releaseLease(leaseId) })

export const renewLease = ({ config }: ServerContext, leaseId: string, seconds: number): SlotRequest<void> => ({
  leases: [leaseId],
  execute(ledger) {
    if (!ledger.renew(leaseId, seconds, config.services.lease_expiration.every_seconds)) return leaseGone(leaseId)
  },
})

/** Acquires one slot of each tag's limit for a task run, without expiry: clients of this operation do not renew. */
export const acquireTagSlots = ({ config }: ServerContext, tags: readonly string[], taskRunId: string): SlotRequest<readonly LimitRow[]> => ({
  names: tagLimitNames(tags),
  execute(ledger) {
    const limits = [...new Set(tags)].flatMap((tag) => ledger.limitByName(tagLimitName(tag)) ?? [])
    const closed = limits.find(({ slots }) => slots === 0)
    if (closed) return slotsFull(`Concurrency limit ${closed.name} has 0 slots; the task can never start. Raise the limit.`)
    const active = limits.filter((limit) => toBoolean(limit.active))
    const full = active.find((limit) => !ledger.hasFreeSlots(limit, 1))
    if (full)
      return slotsFullWithRetry(`Concurrency limit ${full.name} has ${full.slots} slots; none is free.`, config.concurrency.tag_slot_wait_seconds)
    if (active.length > 0) ledger.acquire(active, 1, { seconds: null, holder: { type: 'task_run', id: taskRunId } })
    return active
  },
})

/** Ends the leases of a task run on these tags' limits, each as a whole. Returns all existing limits of the tags, held or not. */
export const releaseTagSlots = (tags: readonly string[], taskRunId: string): SlotRequest<readonly LimitRow[]> => ({
  names: tagLimitNames(tags),
  holders: [taskRunId],
  execute(ledger) {
    const limits = ledger.limitsByName(tagLimitNames(tags))
    const limitIds = new Set<string | null>(limits.map(({ id }) => id))
    const held = ledger.leasesHeldBy(taskRunId).filter(({ limit_id }) => limitIds.has(limit_id))
    for (const { lease_id } of held) ledger.releaseLease(lease_id)
    return limits
  },
})
