import { notFound } from '../../errors.ts'
import { tagLimitName } from '../../orchestration/limits.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { deleteLeasesOf, lockLimits } from './lease-store.ts'
import { SlotLedger } from './slot-ledger.ts'
import { readLimitByName } from './store.ts'

/** Ends all leases of a tag's limit; the task runs named instead hold its slots from now on, however many they are. */
export const resetTagLimit =
  ({ clock, newId, config }: ServerContext, tag: string, taskRunIds: readonly string[]) =>
  async (tx: Tx): Promise<void> => {
    const known = await readLimitByName(tx, tagLimitName(tag))
    if (!known) throw notFound('Concurrency limit')
    // The lock comes first: whoever takes a slot meanwhile waits, and is not among those that end.
    await lockLimits(tx, [], [known.id])
    await deleteLeasesOf(tx, [known.id])
    const ledger = await SlotLedger.load(tx, { ids: [known.id] }, { now: clock.now(), newId, ...config.concurrency })
    const limits = ledger.limitsByName([known.name])
    for (const limit of limits) ledger.setDecayingSlots(limit, 0)
    for (const id of taskRunIds) ledger.acquire(limits, 1, { seconds: null, holder: { type: 'task_run', id } })
    await ledger.flush()
    tx.notify('slots')
  }
