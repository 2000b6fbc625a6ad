import { notFound } from '../../errors.ts'
import { tagLimitName } from '../../orchestration/tag-limits.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { deleteLeasesOf, lockLimits } from './leases.ts'
import { SlotBook } from './slot-book.ts'
import { readLimitByName } from './store.ts'

/** Ends all leases of a tag's limit; the task runs named instead hold its slots from now on, however many they are. */
export const resetTag =
  ({ clock, newId, config }: ServerContext, tag: string, taskRunIds: readonly string[]) =>
  async (tx: Tx): Promise<void> => {
    const known = await readLimitByName(tx, tagLimitName(tag))
    if (!known) throw notFound('Concurrency limit')
    // The lock comes first: whoever takes a slot meanwhile waits, and is not among those that end.
    await lockLimits(tx, [], [known.id])
    await deleteLeasesOf(tx, [known.id])
    const book = await SlotBook.open(tx, { ids: [known.id] }, { now: clock.now(), newId, ...config.concurrency })
    const limits = book.named([known.name])
    for (const limit of limits) book.setDecaying(limit, 0)
    for (const id of taskRunIds) book.take(limits, 1, { seconds: null, holder: { type: 'task_run', id } })
    await book.flush()
    tx.notify('slots')
  }
